//! Runs a piece of work with the widest vector instructions the processor has.
//!
//! A program compiled for every processor of a family uses the narrow instructions that all of them have. Here a
//! piece of work is compiled twice, and which of the two runs is decided when the program runs. Only the width
//! differs: multiplications and additions stay apart and in order, so the results are the same to the last bit.
//!
//! This crate exists because calling a function that needs more than every processor has is `unsafe`: the one such
//! call of the whole project is here, behind the check that makes it sound.

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
    fn the_same_to_the_last_bit() {
        let numbers: Vec<f32> = (0..1000).map(|number| 1.0 / (number as f32 + 0.3)).collect();
        assert_eq!(widest(Sum(&numbers)).to_bits(), Sum(&numbers).run().to_bits());
    }
}
