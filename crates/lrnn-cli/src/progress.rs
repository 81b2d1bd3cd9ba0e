//! A line of progress on standard error: written over on a terminal, now and then into a log.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use crate::args::Common;
use crate::output;

/// Time below which no progress is shown on a terminal.
const FIRST: Duration = Duration::from_secs(1);
const ON_TERMINAL: Duration = Duration::from_millis(200);
const INTO_LOG: Duration = Duration::from_secs(20);

/// A line of progress. Nothing is shown with `--quiet` or `--json`.
pub struct Progress {
    pub start: Instant,
    is_terminal: bool,
    /// Time of the next line; none if nothing is to be shown.
    due: Mutex<Option<Instant>>,
}

impl Progress {
    pub fn new(common: &Common) -> Self {
        Self::starting(Instant::now(), output::is_terminal(&std::io::stderr()), !common.quiet && !common.json)
    }

    fn starting(start: Instant, is_terminal: bool, is_shown: bool) -> Self {
        let due = start + if is_terminal { FIRST } else { INTO_LOG };
        Self { start, is_terminal, due: Mutex::new(is_shown.then_some(due)) }
    }

    /// Shows a text of one line, if one is due.
    pub fn show(&self, text: impl FnOnce() -> String) {
        if self.is_due(Instant::now()) {
            output::say(&match self.is_terminal {
                true => format!("\r\x1b[K{}", fitting(&text(), output::terminal_width())),
                false => text() + "\n",
            });
        }
    }

    fn is_due(&self, now: Instant) -> bool {
        let Ok(mut due) = self.due.lock() else { return false };
        let is_due = due.is_some_and(|due| now >= due);
        if is_due {
            *due = Some(now + if self.is_terminal { ON_TERMINAL } else { INTO_LOG });
        }
        is_due
    }

    /// Takes the line away from a terminal, for other text to stand there.
    pub fn clear(&self) {
        let is_shown = self.due.lock().is_ok_and(|due| due.is_some());
        if is_shown && self.is_terminal && self.start.elapsed() >= FIRST {
            output::say("\r\x1b[K");
        }
    }
}

/// Cuts a text so that it does not reach the last column, where some terminals wrap. Characters that may be wide count
/// as two columns, so that a line is rather too short.
fn fitting(text: &str, width: usize) -> String {
    const FIRST_WIDE: char = '\u{1100}';
    let columns = |c: char| if c < FIRST_WIDE { 1 } else { 2 };
    let mut left = width.saturating_sub(1);
    if text.chars().map(columns).sum::<usize>() <= left {
        return text.to_owned();
    }
    let mut out = String::new();
    left = left.saturating_sub(3);
    for c in text.chars() {
        let Some(rest) = left.checked_sub(columns(c)) else { break };
        left = rest;
        out.push(c);
    }
    if width > 3 { out + "..." } else { String::new() }
}

/// Returns seconds as people say them.
pub fn duration(seconds: f64) -> String {
    let whole = seconds.round() as u64;
    match whole {
        0..120 => format!("{whole} s"),
        120..7200 => format!("{} min", whole / 60),
        _ => format!("{} h {} min", whole / 3600, whole % 3600 / 60),
    }
}

/// Runs `work`, which counts what is done in the counter it is given, and shows how far it is.
pub fn with_progress<T>(common: &Common, what: &str, all: usize, work: impl FnOnce(&AtomicUsize) -> T) -> T {
    let done = AtomicUsize::new(0);
    let text = |seconds: f64| {
        let now = done.load(Ordering::Relaxed);
        let left = seconds / now as f64 * all.saturating_sub(now) as f64;
        let left = if now > 0 { format!(", {} left", duration(left)) } else { String::new() };
        format!("{what} {now} of {all}, {}{left}", duration(seconds))
    };
    watched(common, text, || work(&done))
}

/// Runs `work` and shows a text about it, given the seconds so far.
pub fn watched<T>(common: &Common, text: impl Fn(f64) -> String + Sync, work: impl FnOnce() -> T) -> T {
    let progress = Progress::new(common);
    std::thread::scope(|scope| {
        let (finished, wait) = channel::<()>();
        let (progress, text) = (&progress, &text);
        scope.spawn(move || {
            while wait.recv_timeout(ON_TERMINAL) == Err(RecvTimeoutError::Timeout) {
                progress.show(|| text(progress.start.elapsed().as_secs_f64()));
            }
            progress.clear();
        });
        let result = work();
        drop(finished);
        result
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_cut_before_the_last_column() {
        assert_eq!(fitting("epoch 1 of 9", 13), "epoch 1 of 9");
        assert_eq!(fitting("epoch 1 of 9", 12), "epoch 1 ...");
        assert_eq!(fitting("日本語のデータ", 15), "日本語のデータ");
        assert_eq!(fitting("日本語のデータ", 14), "日本語のデ...");
        for width in 0..20 {
            assert!(fitting("何かとても長い行 and more", width).chars().count() < width.max(1), "{width}");
        }
    }

    /// At which seconds of the first minute a line is shown, if it is asked for each tenth of a second.
    fn shown(is_terminal: bool, is_shown: bool) -> Vec<u64> {
        let start = Instant::now();
        let progress = Progress::starting(start, is_terminal, is_shown);
        let tenths = (0..=600).filter(|tenth| progress.is_due(start + Duration::from_millis(tenth * 100)));
        tenths.collect()
    }

    #[test]
    fn a_log_has_a_line_every_twenty_seconds() {
        assert_eq!(shown(false, true), [200, 400, 600]);
        assert_eq!(shown(true, true)[..4], [10, 12, 14, 16]);
        assert!(shown(false, false).is_empty() && shown(true, false).is_empty());
    }
}
