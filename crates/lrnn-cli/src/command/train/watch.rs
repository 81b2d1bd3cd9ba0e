//! Watches learning: the line of progress, the history, and when to stop.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use lrnn::function::Real;
use lrnn::train::{Epoch, Observer, Settings, State};
use serde_json::{Value, json};

use crate::args::Common;
use crate::failure::Failure;
use crate::progress::{Progress, duration};
use crate::{interrupt, output};

/// A line of the history.
#[derive(Clone)]
pub struct Line {
    pub restart: u32,
    pub epoch: u32,
    pub text: String,
}

impl Line {
    pub fn parse(text: &str) -> Option<Self> {
        let value: Value = serde_json::from_str(text).ok()?;
        let number = |name: &str| u32::try_from(value[name].as_u64()?).ok();
        Some(Self { restart: number("restart")?, epoch: number("epoch")?, text: text.to_owned() })
    }

    fn of(epoch: &Epoch) -> Self {
        let mut value = json!({
            "restart": epoch.restart, "epoch": epoch.epoch, "rate": epoch.rate,
            "running_loss": epoch.running.loss, "running_error": epoch.running.error(),
        });
        for (name, measure) in [("training", epoch.training), ("validation", epoch.validation)] {
            if let Some(measure) = measure {
                value[format!("{name}_loss")] = json!(measure.loss);
                value[format!("{name}_error")] = json!(measure.error());
            }
        }
        Self { restart: epoch.restart, epoch: epoch.epoch, text: value.to_string() }
    }
}

/// What is seen of learning.
struct Seen {
    history: Vec<Line>,
    /// The least training loss and error so far.
    best: Option<(f64, f64)>,
    /// When the last epoch of each restart was done, and how long epochs took.
    last: Vec<Instant>,
    seconds: Vec<f64>,
}

/// An observer.
pub struct Watch<'a> {
    common: &'a Common,
    settings: &'a Settings,
    limit: Option<f64>,
    /// Epochs that are done, and that were done before.
    done: AtomicU64,
    before: u64,
    seen: Mutex<Seen>,
    progress: Progress,
}

impl<'a> Watch<'a> {
    pub fn new<R: Real>(
        common: &'a Common,
        settings: &'a Settings,
        state: &State<R>,
        history: Vec<Line>,
        limit: Option<f64>,
    ) -> Result<Self, Failure> {
        interrupt::listen()?;
        let before = state.restarts.iter().map(|restart| u64::from(restart.epoch)).sum();
        let progress = Progress::new(common);
        let last = vec![progress.start; state.restarts.len()];
        let seen = Mutex::new(Seen { history, best: None, last, seconds: Vec::new() });
        Ok(Self { common, settings, limit, done: AtomicU64::new(before), before, seen, progress })
    }

    /// Whether learning should stop before its end.
    pub fn is_over(&self) -> bool {
        interrupt::is_interrupted()
            || self.limit.is_some_and(|limit| self.progress.start.elapsed().as_secs_f64() >= limit)
    }

    pub fn history(&self) -> Vec<Line> {
        self.seen.lock().map(|seen| seen.history.clone()).unwrap_or_default()
    }

    /// The median of the seconds that epochs took, where each restart had a thread of its own.
    pub fn epoch_median(&self) -> Option<f64> {
        let mut seconds = self.seen.lock().ok()?.seconds.clone();
        seconds.sort_by(f64::total_cmp);
        seconds.get(seconds.len() / 2).copied()
    }

    pub fn clear(&self) {
        self.progress.clear();
    }

    fn text(&self, epoch: &Epoch, seen: &Seen) -> String {
        let all = u64::from(self.settings.epochs) * u64::from(self.settings.restarts.0);
        let done = self.done.load(Ordering::Relaxed);
        let now = self.progress.start.elapsed().as_secs_f64();
        let left = now / (done - self.before).max(1) as f64 * all.saturating_sub(done) as f64;
        let left = self.limit.map_or(left, |limit| left.min(limit - now));
        let best = seen.best.map_or(String::new(), |(loss, error)| {
            format!(", best loss {loss:.4}, error {:.1} %", 100.0 * error)
        });
        let measure = epoch.running;
        format!(
            "epoch {done} of {all}, {} left: loss {:.4}, error {:.1} %{best}, learning rate {}",
            duration(left),
            measure.loss,
            100.0 * measure.error(),
            epoch.rate,
        )
    }
}

impl Observer for Watch<'_> {
    fn epoch(&self, epoch: &Epoch) {
        self.done.fetch_add(1, Ordering::Relaxed);
        let Ok(mut seen) = self.seen.lock() else { return };
        let now = Instant::now();
        let last = std::mem::replace(&mut seen.last[epoch.restart as usize], now);
        if seen.seconds.len() < 100_000 {
            seen.seconds.push((now - last).as_secs_f64());
        }
        if let Some(measure) = epoch.training {
            seen.history.push(Line::of(epoch));
            if seen.best.is_none_or(|(loss, _)| measure.loss < loss) {
                seen.best = Some((measure.loss, measure.error()));
            }
            if self.common.verbose {
                let text = format!(
                    "restart {} epoch {}: loss {:.6}, error {:.1} %\n",
                    epoch.restart,
                    epoch.epoch,
                    measure.loss,
                    100.0 * measure.error()
                );
                self.progress.clear();
                output::say(&text);
            }
        }
        self.progress.show(|| self.text(epoch, &seen));
    }

    fn is_stopped(&self) -> bool {
        self.is_over()
    }
}
