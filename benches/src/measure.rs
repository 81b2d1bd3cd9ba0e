//! The clock and the memory.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// The seconds of many runs, the least first.
pub struct Times {
    seconds: Vec<f64>,
    /// The least of the processor, of all threads, where the system tells.
    processor: f64,
}

const FEWEST: usize = 3;
const MOST: usize = 2000;

impl Times {
    /// Runs so long, at least three times unless that takes far too long, and returns what the last made. The first run is for warming up, where
    /// there are more than three.
    pub fn of<T>(limit: Duration, mut run: impl FnMut() -> Result<T, String>) -> Result<(Self, T), String> {
        let begin = Instant::now();
        let (mut seconds, mut processor) = (Vec::new(), f64::INFINITY);
        loop {
            let (before, start) = (processor_time(), Instant::now());
            let made = run()?;
            seconds.push(start.elapsed().as_secs_f64());
            processor = (processor_time() - before).min(processor);
            if !is_to_go_on(seconds.len(), begin.elapsed(), limit) {
                return Ok((Self { processor, ..Self::sorted(seconds) }, made));
            }
        }
    }

    /// Measures two in turns, so that both have the same of whatever else the machine does.
    pub fn of_two(limit: Duration, mut first: impl FnMut(), mut second: impl FnMut()) -> (Self, Self) {
        let begin = Instant::now();
        let mut seconds = (Vec::new(), Vec::new());
        while is_to_go_on(seconds.0.len(), begin.elapsed(), limit) {
            let start = Instant::now();
            first();
            let middle = Instant::now();
            second();
            seconds.0.push((middle - start).as_secs_f64());
            seconds.1.push(middle.elapsed().as_secs_f64());
        }
        (Self::sorted(seconds.0), Self::sorted(seconds.1))
    }

    fn sorted(mut seconds: Vec<f64>) -> Self {
        if seconds.len() > FEWEST {
            seconds.remove(0);
        }
        seconds.sort_by(f64::total_cmp);
        Self { seconds, processor: 0.0 }
    }

    /// Returns the median.
    fn median(&self) -> f64 {
        self.seconds[self.seconds.len() / 2]
    }

    /// Returns the least.
    pub fn least(&self) -> f64 {
        self.seconds[0]
    }

    /// Returns it as part of a line of JSON.
    pub fn json(&self) -> Value {
        let (median, least) = (rounded(self.median()), rounded(self.least()));
        let processor = rounded(self.processor);
        json!({ "median_s": median, "least_s": least, "processor_s": processor, "runs": self.seconds.len() })
    }
}

fn is_to_go_on(runs: usize, elapsed: Duration, limit: Duration) -> bool {
    let is_long = elapsed > 10 * limit;
    (runs < FEWEST && !is_long) || (elapsed < limit && runs < MOST)
}

/// More figures than a clock can tell are left out.
fn rounded(seconds: f64) -> f64 {
    format!("{seconds:.4e}").parse().unwrap_or(seconds)
}

/// Returns the seconds that the threads of this process have had of the processor; 0 where the system does not tell.
fn processor_time() -> f64 {
    let threads = std::fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    let nanoseconds = threads.filter_map(|thread| {
        let text = std::fs::read_to_string(thread.path().join("schedstat")).ok()?;
        text.split(' ').next()?.parse::<u64>().ok()
    });
    nanoseconds.sum::<u64>() as f64 * 1e-9
}

/// Returns the most memory this process ever took, in bytes; 0 where the system does not tell.
pub fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|rest| rest.trim().trim_end_matches("kB").trim().parse::<u64>().ok());
    kilobytes.unwrap_or(0) * 1024
}
