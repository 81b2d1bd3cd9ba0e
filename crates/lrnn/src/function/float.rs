//! What the portable mathematics must know of each number type: its bits, and series long enough for it.

use super::real::Real;

/// A binary floating-point type with the constants of its series.
pub trait Float: Real {
    /// Adding it rounds a small number to a whole one, which then stands in the lowest bits.
    const ROUNDER: Self;
    /// log2(e)
    const LOG2_E: Self;
    /// The leading bits of ln(2), so few that a product with any exponent is exact.
    const LN_2_HIGH: Self;
    /// The rest of ln(2).
    const LN_2_LOW: Self;
    /// Between these bounds e^x is neither 0 nor infinite; both bounds are a little beyond.
    const EXP_RANGE: (Self, Self);
    /// 1/2!, 1/3!, …: (e^r − 1 − r) / r², to the last bit for |r| ≤ ln(2) / 2.
    const EXP_SERIES: &'static [Self];
    /// 2/3, 2/5, …: (2 artanh(s) − 2s) / s³ in s², to the last bit for 1 ± s from √½ to √2.
    const ARTANH_SERIES: &'static [Self];
    /// The infinite number.
    const INFINITY: Self;
    /// Not a number.
    const NAN: Self;

    /// Returns the whole number that [`ROUNDER`](Self::ROUNDER) was added to.
    fn whole(shifted: Self) -> i32;
    /// Returns 2 to a power within the normal numbers.
    fn two_to(power: i32) -> Self;
    /// Returns a positive finite number as 2^k · m with m from √½ to √2, as (k, m).
    fn split(self) -> (Self, Self);
    /// Returns this size with that sign.
    fn with_sign(self, sign: Self) -> Self;
}

macro_rules! bits {
    ($bits:ty, $signed:ty, $mantissa:literal, $bias:literal, $lift:literal) => {
        const ROUNDER: Self = 1.5 / Self::EPSILON;
        const INFINITY: Self = Self::INFINITY;
        const NAN: Self = Self::NAN;

        #[inline(always)]
        fn whole(shifted: Self) -> i32 {
            shifted.to_bits().wrapping_sub(<Self as Float>::ROUNDER.to_bits()) as i32
        }

        #[inline(always)]
        fn two_to(power: i32) -> Self {
            Self::from_bits((power.wrapping_add($bias) as $bits) << $mantissa)
        }

        #[inline(always)]
        fn split(self) -> (Self, Self) {
            let tiny = self < Self::MIN_POSITIVE;
            let lifted = if tiny { self * <Self as Float>::two_to($lift) } else { self };
            let above = lifted.to_bits().wrapping_sub(Self::to_bits(0.5 * std::f64::consts::SQRT_2 as Self));
            let power = (above as $signed) >> $mantissa;
            let rest = Self::from_bits(lifted.to_bits().wrapping_sub((power << $mantissa) as $bits));
            (power as Self - if tiny { $lift as Self } else { 0.0 }, rest)
        }

        #[inline(always)]
        fn with_sign(self, sign: Self) -> Self {
            self.copysign(sign)
        }
    };
}

impl Float for f64 {
    const LOG2_E: Self = std::f64::consts::LOG2_E;
    const LN_2_HIGH: Self = Self::from_bits(0x3fe6_2e42_fef0_0000);
    const LN_2_LOW: Self = 7.440617110012397e-11;
    const EXP_RANGE: (Self, Self) = (-746.0, 710.0);
    const EXP_SERIES: &'static [Self] = &[
        1.0 / 2.0,
        1.0 / 6.0,
        1.0 / 24.0,
        1.0 / 120.0,
        1.0 / 720.0,
        1.0 / 5_040.0,
        1.0 / 40_320.0,
        1.0 / 362_880.0,
        1.0 / 3_628_800.0,
        1.0 / 39_916_800.0,
        1.0 / 479_001_600.0,
        1.0 / 6_227_020_800.0,
    ];
    const ARTANH_SERIES: &'static [Self] = &[
        2.0 / 3.0,
        2.0 / 5.0,
        2.0 / 7.0,
        2.0 / 9.0,
        2.0 / 11.0,
        2.0 / 13.0,
        2.0 / 15.0,
        2.0 / 17.0,
        2.0 / 19.0,
        2.0 / 21.0,
    ];

    bits!(u64, i64, 52, 1023, 54);
}

impl Float for f32 {
    const LOG2_E: Self = std::f32::consts::LOG2_E;
    const LN_2_HIGH: Self = Self::from_bits(0x3f31_7000);
    const LN_2_LOW: Self = 3.194_618_5e-5;
    const EXP_RANGE: (Self, Self) = (-104.0, 89.0);
    const EXP_SERIES: &'static [Self] =
        &[1.0 / 2.0, 1.0 / 6.0, 1.0 / 24.0, 1.0 / 120.0, 1.0 / 720.0, 1.0 / 5_040.0];
    const ARTANH_SERIES: &'static [Self] = &[2.0 / 3.0, 2.0 / 5.0, 2.0 / 7.0, 2.0 / 9.0];

    bits!(u32, i32, 23, 127, 25);
}
