//! A conversation with a program that answers one query after the other, so that it is started once: Python takes longer
//! to load DuckDB than to read a million rows.
//!
//! A query goes out as the number of its bytes on a line and then the bytes. An answer is what the query writes, a mark,
//! what went wrong, if anything, and the mark again. The mark begins with a byte that CSV has no use for, and is made up
//! anew for each conversation, so that no cell can hold it.

use std::hash::{BuildHasher, RandomState};
use std::io::{Error, ErrorKind, Read, Result, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::thread::JoinHandle;

/// The bytes that are read at once, a part of what a pipe holds, so that the program writes the rest meanwhile.
const CHUNK: usize = 1 << 17;

/// A program that is running and waits for queries.
#[derive(Debug)]
pub(crate) struct Conversation {
    child: Child,
    /// None once the program was told that there will be no more.
    queries: Option<ChildStdin>,
    answers: ChildStdout,
    errors: Option<JoinHandle<String>>,
    mark: Vec<u8>,
}

impl Conversation {
    /// Starts a program, which gets the mark as its last argument; nothing if it is not there.
    pub fn begin(mut command: Command) -> Option<Self> {
        let random = RandomState::new();
        let mark = format!("\0{:016x}{:016x}", random.hash_one(1), random.hash_one(2));
        command.arg(&mark[1..]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().ok()?;
        let (queries, answers, errors) = (child.stdin.take(), child.stdout.take()?, child.stderr.take()?);
        let errors = Some(std::thread::spawn(move || listen(errors)));
        Some(Self { child, queries, answers, errors, mark: mark.into_bytes() })
    }

    /// Asks a query. The answer is read before the next one is asked.
    pub fn ask(&mut self, query: &str) -> AnswerStream<'_> {
        if let Some(queries) = &mut self.queries {
            // A program that has ended tells why by its answer.
            let _ = write!(queries, "{}\n{query}", query.len()).and_then(|()| queries.flush());
        }
        AnswerStream { of: self, bytes: Vec::new(), given: 0, free: 0, is_over: false, said: Vec::new() }
    }

    /// Ends the program and returns what it wrote about errors.
    pub fn end(mut self) -> String {
        self.queries = None;
        let _ = self.child.kill();
        self.errors.take().and_then(|errors| errors.join().ok()).unwrap_or_default()
    }
}

impl Drop for Conversation {
    fn drop(&mut self) {
        self.queries = None;
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Reads everything that a program writes about errors.
pub(crate) fn listen(mut errors: impl Read) -> String {
    let mut text = Vec::new();
    let _ = errors.read_to_end(&mut text);
    String::from_utf8_lossy(&text).trim().to_owned()
}

/// A stream of the bytes that a program writes for one query, which ends before the mark.
pub(crate) struct AnswerStream<'a> {
    of: &'a mut Conversation,
    bytes: Vec<u8>,
    /// Number of bytes that were given away, and number of those that belong to the answer for sure.
    given: usize,
    free: usize,
    is_over: bool,
    said: Vec<u8>,
}

impl AnswerStream<'_> {
    /// Returns what went wrong, once the answer was read; empty if nothing did.
    pub fn said(self) -> String {
        String::from_utf8_lossy(&self.said).trim().to_owned()
    }

    /// Reads more bytes; an error if the program has ended.
    fn more(&mut self) -> Result<()> {
        self.bytes.drain(..self.given);
        self.free -= std::mem::take(&mut self.given);
        let before = self.bytes.len();
        self.bytes.resize(before + CHUNK, 0);
        let count = self.of.answers.read(&mut self.bytes[before..])?;
        self.bytes.truncate(before + count);
        match count {
            0 => Err(Error::from(ErrorKind::UnexpectedEof)),
            _ => Ok(()),
        }
    }

    /// Looks for the mark among the bytes that are not free, and takes what is behind it.
    fn look(&mut self) -> Result<()> {
        let mark = std::mem::take(&mut self.of.mark);
        match find(&self.bytes[self.free..], &mark) {
            Some(at) => {
                self.free += at;
                self.said = self.bytes.split_off(self.free + mark.len());
                self.is_over = true;
                while !self.said.ends_with(&mark) {
                    let before = self.said.len();
                    self.said.resize(before + CHUNK, 0);
                    let count = self.of.answers.read(&mut self.said[before..])?;
                    self.said.truncate(before + count);
                    if count == 0 {
                        return Err(Error::from(ErrorKind::UnexpectedEof));
                    }
                }
                self.said.truncate(self.said.len() - mark.len());
            }
            None => self.free = self.free.max((self.bytes.len() + 1).saturating_sub(mark.len())),
        }
        self.of.mark = mark;
        Ok(())
    }
}

/// Returns where a mark begins, whose first byte is rare.
fn find(bytes: &[u8], mark: &[u8]) -> Option<usize> {
    let mut from = 0;
    while let Some(at) = bytes[from..].iter().position(|byte| *byte == mark[0]) {
        if bytes[from + at..].starts_with(mark) {
            return Some(from + at);
        }
        from += at + 1;
    }
    None
}

impl Read for AnswerStream<'_> {
    fn read(&mut self, to: &mut [u8]) -> Result<usize> {
        while self.given == self.free && !self.is_over {
            self.more()?;
            self.look()?;
        }
        let count = to.len().min(self.free - self.given);
        to[..count].copy_from_slice(&self.bytes[self.given..self.given + count]);
        self.given += count;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a program that answers a query with its text, some bytes at a time, and says that it is long.
    fn echo() -> Command {
        let program = r#"
while read -r count; do
  query=$(dd bs=1 count="$count" 2>/dev/null)
  printf '%s' "$query"; sleep 0.01; printf 'end'
  printf '\0%.16s' "$1"; sleep 0.01; printf '%s' "${1#????????????????}"
  [ "$count" -gt 5 ] && printf 'long'
  printf '\0%s' "$1"
done
"#;
        let mut command = Command::new("sh");
        command.args(["-c", program, "sh"]);
        command
    }

    #[test]
    fn one_program_answers_many_queries() {
        let mut conversation = Conversation::begin(echo()).expect("a shell");
        for (query, said) in [("one", ""), ("second", "long"), ("", ""), ("two\nlines", "long")] {
            let mut answer = conversation.ask(query);
            let mut text = String::new();
            answer.read_to_string(&mut text).expect("an answer");
            assert_eq!((text, answer.said()), (format!("{query}end"), said.to_owned()));
        }
    }

    #[test]
    fn a_program_that_ends_is_an_error_with_its_words() {
        let mut command = Command::new("sh");
        command.args(["-c", "printf half; echo no such thing >&2", "sh"]);
        let mut conversation = Conversation::begin(command).expect("a shell");
        let mut text = String::new();
        assert!(conversation.ask("one").read_to_string(&mut text).is_err());
        assert_eq!(conversation.end(), "no such thing");
    }
}
