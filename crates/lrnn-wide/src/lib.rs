//! Runs a piece of work with the widest vector instructions the processor has.
//!
//! A program compiled for every processor of a family uses the narrow instructions that all of them have. Here a
//! piece of work is compiled twice, and which of the two runs is decided when the program runs. Only the width
//! differs: multiplications and additions stay apart and in order, so the results are the same to the last bit.
//!
//! And it asks the processor for numbers that will be needed soon.
//!
//! This crate exists because both are `unsafe` to call: the only such calls of the whole project are here, behind what
//! makes them sound.

/// A piece of work. `run` and whatever it should take along must be `#[inline(always)]`: only what is inlined is
/// compiled twice.
pub trait Work {
    /// The result.
    type Output;

    /// Does the work.
    fn run(self) -> Self::Output;
}

/// Does a piece of work as widely as the processor can.
#[inline]
pub fn widest<W: Work>(work: W) -> W::Output {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has AVX2, as was just asked.
        return unsafe { with_avx2(work) };
    }
    narrow(work)
}

/// Does a piece of work with the instructions that every processor has. It is compiled once, wherever it is called from.
#[inline(never)]
pub fn narrow<W: Work>(work: W) -> W::Output {
    work.run()
}

/// Asks for `count` numbers from place `at` on, which will be read soon: a value that lies anywhere in more numbers than a
/// cache holds is then there when its turn comes. Nothing is read that is not there, and no result depends on it.
#[inline(always)]
pub fn soon<T>(numbers: &[T], at: usize, count: usize) {
    #[cfg(target_arch = "x86_64")]
    if let Some(numbers) = numbers.get(at..).and_then(|numbers| numbers.get(..count)) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        for line in numbers.chunks((64 / size_of::<T>().max(1)).max(1)) {
            // SAFETY: every processor of the family has it, and the address is that of a number.
            unsafe { _mm_prefetch(line.as_ptr().cast(), _MM_HINT_T0) };
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
#[inline(never)]
fn with_avx2<W: Work>(work: W) -> W::Output {
    work.run()
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Sum<'a>(&'a [f32]);

    impl Work for Sum<'_> {
        type Output = f32;

        #[inline(always)]
        fn run(self) -> f32 {
            self.0.iter().sum()
        }
    }

    #[test]
    fn what_is_not_there_is_not_asked_for() {
        let numbers = [1.0_f32; 40];
        for (at, count) in [(0, 40), (39, 1), (39, 2), (40, 0), (41, 0), (7, usize::MAX - 7), (usize::MAX, 1)]
        {
            soon(&numbers, at, count);
            soon(&[(); 3], at, count);
        }
        assert_eq!(numbers, [1.0; 40]);
    }

    #[test]
    fn the_same_to_the_last_bit() {
        let numbers: Vec<f32> = (0..1000).map(|number| 1.0 / (number as f32 + 0.3)).collect();
        assert_eq!(widest(Sum(&numbers)).to_bits(), Sum(&numbers).run().to_bits());
    }
}
