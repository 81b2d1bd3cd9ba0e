//! An axis of errors with round ticks.

/// From errors to places, upwards, and the ticks between.
pub(crate) struct Axis {
    /// The lowest tick and the number of steps above it, in steps.
    first: i64,
    count: i64,
    /// In percent.
    step: f64,
    top: f64,
    height: f64,
}

impl Axis {
    /// Returns an axis over these errors, from 0 to 1, which are not all numbers.
    pub fn of(errors: impl Iterator<Item = f64>, top: f64, height: f64) -> Self {
        let finite = errors.filter(|error| error.is_finite()).map(|error| (error * 100.0).clamp(-1e6, 1e6));
        let (low, high) = extent(finite);
        let (low, high) = if low > high { (0.0, 100.0) } else { (low, high) };
        let step = step_of((high - low).max(1.0) / 6.0);
        // Marks keep away from the edges.
        let margin = 0.15 * step;
        let mut first = ((low - margin) / step).floor() as i64;
        if low >= 0.0 {
            first = first.max(0);
        }
        let mut last = ((high + margin) / step).ceil() as i64;
        if high <= 100.0 {
            last = last.min((100.0 / step).round() as i64);
        }
        let count = (last - first).max(1);
        Self { first, count, step, top, height }
    }

    /// Returns where an error stands.
    pub fn place(&self, error: f64) -> f64 {
        let steps = error * 100.0 / self.step - self.first as f64;
        self.bottom() - self.height * steps / self.count as f64
    }

    /// Returns where the axis begins.
    pub fn bottom(&self) -> f64 {
        self.top + self.height
    }

    /// Returns the errors at the ticks.
    pub fn ticks(&self) -> impl Iterator<Item = f64> {
        (0..=self.count).map(|number| (self.first + number) as f64 * self.step / 100.0)
    }

    /// Returns an error in percent, with as many digits as the ticks need.
    pub fn label(&self, error: f64) -> String {
        let digits = usize::from(self.step < 1.0);
        format!("{:.digits$}", error * 100.0)
    }
}

/// Returns the least and the greatest number; of none, infinity and its negative.
pub(crate) fn extent(numbers: impl Iterator<Item = f64>) -> (f64, f64) {
    numbers.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), at| (low.min(at), high.max(at)))
}

/// Returns the next round number: 1, 2 or 5 times a power of ten.
fn step_of(rough: f64) -> f64 {
    let mut power = 0.1;
    while power * 10.0 <= rough {
        power *= 10.0;
    }
    [1.0, 2.0, 5.0, 10.0]
        .into_iter()
        .map(|factor| factor * power)
        .find(|&step| step >= rough)
        .unwrap_or(power * 10.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(errors: &[f64], expected: &str) {
        let axis = Axis::of(errors.iter().copied(), 0.0, 100.0);
        let labels: Vec<String> = axis.ticks().map(|tick| axis.label(tick)).collect();
        assert_eq!(labels.join(" "), expected);
        for &error in errors.iter().filter(|error| error.is_finite()) {
            assert!((0.0..=100.0).contains(&axis.place(error)));
        }
    }

    #[test]
    fn ticks_are_round() {
        check(&[0.2, 0.45], "15 20 25 30 35 40 45 50");
        check(&[0.0, 1.0], "0 20 40 60 80 100");
        check(&[0.3], "29.8 30.0 30.2");
        check(&[f64::NAN], "0 20 40 60 80 100");
        check(&[], "0 20 40 60 80 100");
    }
}
