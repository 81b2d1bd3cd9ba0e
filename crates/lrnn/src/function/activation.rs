//! What a neuron applies to the combination of its inputs.

use lrnn_wide::Work;

use super::real::Real;
use super::table::table;

table! {
    /// A function applied to the combination of a neuron's inputs: element by element, except softmax, sparsemax and
    /// norm, which look at the whole value.
    pub enum Activation {
        /// The value as it is.
        Identity = "identity", ["linear", "id"], "x";
        /// From 0 to 1, smoothly.
        Sigmoid = "sigmoid", ["sigm", "logistic"], "1 / (1 + e^-x)";
        /// From -1 to 1, smoothly.
        Tanh = "tanh", [], "tanh(x)";
        /// Nothing below 0.
        Relu = "relu", [], "max(0, x)";
        /// Little below 0.
        LeakyRelu = "leaky-relu", ["leakyrelu", "lrelu"], "x where x > 0, else 0.01 x";
        /// A smooth max(0, x).
        Softplus = "softplus", [], "ln(1 + e^x)";
        /// The exponential.
        Exp = "exp", ["exponential"], "e^x";
        /// The natural logarithm, of numbers above 0.
        Log = "log", ["ln", "logarithm"], "ln(x)";
        /// The inverse, of numbers other than 0.
        Inverse = "inverse", [], "1 / x";
        /// The square root, of numbers above 0.
        Sqrt = "sqrt", [], "√x";
        /// The square.
        Square = "square", [], "x²";
        /// The absolute value.
        Abs = "abs", ["absolute"], "|x|";
        /// The sign.
        Sign = "sign", [], "-1, 0 or 1";
        /// The complement, as of a truth value.
        Reverse = "reverse", ["complement"], "1 - x";
        /// Crisp: above 0 or not, which NeuraLogic calls signum.
        Step = "step", ["signum", "heaviside", "crisp"], "1 where x > 0, else 0";
        /// A truth value kept within its bounds.
        Lukasiewicz = "lukasiewicz", ["clamp", "hard-sigmoid"], "min(1, max(0, x))";
        /// Of a Łukasiewicz conjunction.
        LukasiewiczConjunction = "lukasiewicz-conjunction", ["lukasiewicz-and"], "max(0, x)";
        /// Of a Łukasiewicz disjunction.
        LukasiewiczDisjunction = "lukasiewicz-disjunction", ["lukasiewicz-or"], "min(1, x)";
        /// A steep sigmoid, NeuraLogic's Łukasiewicz function.
        LukasiewiczSigmoid = "lukasiewicz-sigmoid", [], "1 / (1 + e^-(6 x + 1/2))";
        /// The elements of a vector as shares of 1; a number gives 1.
        Softmax = "softmax", [], "e^x_i / Σ_j e^x_j";
        /// The nearest shares of 1, of which many are 0.
        Sparsemax = "sparsemax", [], "max(0, x_i - t), t so that they add up to 1";
        /// The elements of a value moved and scaled to mean 0 and variance 1.
        Norm = "norm", ["normalization", "layer-norm", "layernorm"], "(x_i - mean) / √(variance + 1e-10)";
    }
}

/// The slope of leaky relu below 0.
pub(super) const LEAK: f64 = 0.01;
/// The number that keeps norm from dividing by 0.
const NORM_EPSILON: f64 = 1e-10;

#[inline(always)]
fn map<R: Real>(values: &mut [R], function: impl Fn(R) -> R) {
    for value in values {
        *value = function(*value);
    }
}

#[inline(always)]
fn chain<R: Real>(inputs: &[R], outputs: &[R], gradient: &mut [R], derivative: impl Fn(R, R) -> R) {
    for ((gradient, &x), &y) in gradient.iter_mut().zip(inputs).zip(outputs) {
        *gradient *= derivative(x, y);
    }
}

// Comparisons below are turned so that what is not a number passes through and is found in the end.

#[inline(always)]
fn at_least<R: Real>(x: R, bound: R) -> R {
    if x < bound { bound } else { x }
}

#[inline(always)]
fn at_most<R: Real>(x: R, bound: R) -> R {
    if x > bound { bound } else { x }
}

fn signum<R: Real>(x: R) -> R {
    match x {
        _ if x > R::ZERO => R::ONE,
        _ if x < R::ZERO => -R::ONE,
        _ => x,
    }
}

fn steep<R: Real>(x: R) -> R {
    R::from_f64(6.0) * x + R::from_f64(0.5)
}

fn softmax<R: Real>(values: &mut [R]) {
    let Some(largest) = values.iter().copied().reduce(R::max) else { return };
    map(values, |x| (x - largest).exp());
    let sum: R = values.iter().copied().sum();
    map(values, |x| x / sum);
}

/// Returns how much is taken from each element, so that what is left above 0 adds up to 1.
fn sparse_threshold<R: Real>(values: &[R]) -> R {
    let mut falling = values.to_vec();
    falling.sort_by(|a, b| b.partial_cmp(a).unwrap_or(std::cmp::Ordering::Equal));
    let (mut sum, mut threshold) = (R::ZERO, R::ZERO);
    for (count, &value) in (1..).zip(&falling) {
        sum += value;
        let candidate = (sum - R::ONE) / R::from_f64(f64::from(count));
        if value > candidate {
            threshold = candidate;
        }
    }
    threshold
}

fn sparsemax<R: Real>(values: &mut [R]) {
    let threshold = sparse_threshold(values);
    map(values, |x| at_least(x - threshold, R::ZERO));
}

/// Returns the mean, and 1 / √(variance + ε).
fn moments<R: Real>(values: &[R]) -> (R, R) {
    let count = R::from_f64(values.len().max(1) as f64);
    let mean = values.iter().copied().sum::<R>() / count;
    let variance = values.iter().map(|&x| (x - mean) * (x - mean)).sum::<R>() / count;
    (mean, R::ONE / (variance + R::from_f64(NORM_EPSILON)).sqrt())
}

fn norm<R: Real>(values: &mut [R]) {
    let (mean, scale) = moments(values);
    map(values, |x| (x - mean) * scale);
}

/// An activation and what it replaces.
struct Apply<'a, R>(Activation, &'a mut [R]);

impl<R: Real> Work for Apply<'_, R> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        self.0.apply_here(self.1);
    }
}

/// An activation with what it was applied to, what it gave, and the gradient by that.
struct ActivationGradient<'a, R>(Activation, &'a [R], &'a [R], &'a mut [R]);

impl<R: Real> Work for ActivationGradient<'_, R> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        self.0.backward_here(self.1, self.2, self.3);
    }
}

impl Activation {
    /// Replaces the values of one neuron by the function's.
    pub fn apply<R: Real>(self, values: &mut [R]) {
        if self != Self::Identity {
            R::work(Apply(self, values));
        }
    }

    #[inline(always)]
    fn apply_here<R: Real>(self, values: &mut [R]) {
        match self {
            Self::Identity => {}
            Self::Sigmoid => map(values, R::sigmoid),
            Self::Tanh => map(values, R::tanh),
            Self::Relu | Self::LukasiewiczConjunction => map(values, |x| at_least(x, R::ZERO)),
            Self::LeakyRelu => map(values, |x| if x < R::ZERO { x * R::from_f64(LEAK) } else { x }),
            Self::Softplus => map(values, R::softplus),
            Self::Exp => map(values, R::exp),
            Self::Log => map(values, R::ln),
            Self::Inverse => map(values, |x| R::ONE / x),
            Self::Sqrt => map(values, R::sqrt),
            Self::Square => map(values, |x| x * x),
            Self::Abs => map(values, R::abs),
            Self::Sign => map(values, signum),
            Self::Reverse => map(values, |x| R::ONE - x),
            Self::Step => map(values, |x| at_least(signum(x), R::ZERO)),
            Self::Lukasiewicz => map(values, |x| at_most(at_least(x, R::ZERO), R::ONE)),
            Self::LukasiewiczDisjunction => map(values, |x| at_most(x, R::ONE)),
            Self::LukasiewiczSigmoid => map(values, |x| steep(x).sigmoid()),
            Self::Softmax => softmax(values),
            Self::Sparsemax => sparsemax(values),
            Self::Norm => norm(values),
        }
    }

    /// Returns whether the function looks at a whole value, and not at each element alone.
    pub fn is_joint(self) -> bool {
        matches!(self, Self::Softmax | Self::Sparsemax | Self::Norm)
    }

    /// Turns the gradient by one neuron's outputs into the gradient by its inputs, in place. At a kink the
    /// Łukasiewicz functions have the slope of their rising side, so that a crisp truth value can still learn;
    /// the others have that of their lower side.
    pub fn backward<R: Real>(self, inputs: &[R], outputs: &[R], gradient: &mut [R]) {
        if self != Self::Identity {
            R::work(ActivationGradient(self, inputs, outputs, gradient));
        }
    }

    #[inline(always)]
    fn backward_here<R: Real>(self, inputs: &[R], outputs: &[R], gradient: &mut [R]) {
        let (zero, one, two) = (R::ZERO, R::ONE, R::from_f64(2.0));
        let slope = |condition: bool| if condition { one } else { zero };
        let (x, y, g) = (inputs, outputs, gradient);
        match self {
            Self::Identity => {}
            Self::Sigmoid => chain(x, y, g, |_, y| y * (one - y)),
            Self::Tanh => chain(x, y, g, |_, y| one - y * y),
            Self::Relu => chain(x, y, g, |x, _| slope(x > zero)),
            Self::LeakyRelu => chain(x, y, g, |x, _| if x > zero { one } else { R::from_f64(LEAK) }),
            Self::Softplus => chain(x, y, g, |x, _| x.sigmoid()),
            Self::Exp => chain(x, y, g, |_, y| y),
            Self::Log => chain(x, y, g, |x, _| one / x),
            Self::Inverse => chain(x, y, g, |_, y| -y * y),
            Self::Sqrt => chain(x, y, g, |_, y| one / (two * y)),
            Self::Square => chain(x, y, g, |x, _| two * x),
            Self::Abs => chain(x, y, g, |x, _| signum(x)),
            Self::Sign | Self::Step => g.fill(zero),
            Self::Reverse => chain(x, y, g, |_, _| -one),
            Self::Lukasiewicz => chain(x, y, g, |x, _| slope(x >= zero && x <= one)),
            Self::LukasiewiczConjunction => chain(x, y, g, |x, _| slope(x >= zero)),
            Self::LukasiewiczDisjunction => chain(x, y, g, |x, _| slope(x <= one)),
            Self::Softmax => {
                let mean: R = y.iter().zip(&*g).map(|(&y, &g)| y * g).sum();
                g.iter_mut().zip(y).for_each(|(g, &y)| *g = y * (*g - mean));
            }
            Self::LukasiewiczSigmoid => chain(x, y, g, |_, y| R::from_f64(6.0) * y * (one - y)),
            Self::Sparsemax => {
                let kept = |y: &R| *y > zero;
                let count = R::from_f64(y.iter().filter(|y| kept(y)).count().max(1) as f64);
                let mean = y.iter().zip(&*g).filter(|(y, _)| kept(y)).map(|(_, &g)| g).sum::<R>() / count;
                g.iter_mut().zip(y).for_each(|(g, y)| *g = if kept(y) { *g - mean } else { zero });
            }
            Self::Norm => {
                let count = R::from_f64(y.len().max(1) as f64);
                let (_, scale) = moments(x);
                let mean = g.iter().copied().sum::<R>() / count;
                let along = y.iter().zip(&*g).map(|(&y, &g)| y * g).sum::<R>() / count;
                g.iter_mut().zip(y).for_each(|(g, &y)| *g = scale * (*g - mean - y * along));
            }
        }
    }
}

#[cfg(test)]
impl Activation {
    /// Returns where the function has no slope of its own: its kinks and jumps.
    fn kinks(self) -> &'static [f64] {
        match self {
            Self::Relu | Self::LeakyRelu | Self::Abs | Self::Sign | Self::Step => &[0.0],
            Self::LukasiewiczConjunction => &[0.0],
            Self::LukasiewiczDisjunction => &[1.0],
            Self::Lukasiewicz => &[0.0, 1.0],
            _ => &[],
        }
    }

    /// Returns whether the function is defined, with a finite slope where it is not at a kink.
    fn is_defined(self, x: f64) -> bool {
        match self {
            Self::Log | Self::Sqrt => x > 0.0,
            Self::Inverse => x != 0.0,
            _ => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn applied(activation: Activation, mut values: Vec<f64>) -> Vec<f64> {
        activation.apply(&mut values);
        values
    }

    /// Numbers where the function is defined and smooth.
    fn samples(activation: Activation) -> Vec<f64> {
        let all = (-40..40).map(|i| f64::from(i) / 10.0 + 0.03);
        let smooth = |x: f64| activation.kinks().iter().all(|kink| (x - kink).abs() > 0.01);
        all.filter(|&x| activation.is_defined(x) && smooth(x)).collect()
    }

    #[test]
    fn gradients_agree_with_central_differences() {
        let h = 1e-6;
        for &activation in Activation::ALL {
            for pair in samples(activation).chunks_exact(2) {
                let outputs = applied(activation, pair.to_vec());
                let incoming = [0.7, -1.3];
                let mut gradient = incoming;
                activation.backward(pair, &outputs, &mut gradient);
                for (at, found) in gradient.into_iter().enumerate() {
                    let moved = |by: f64| {
                        let mut inputs = pair.to_vec();
                        inputs[at] += by;
                        let outputs = applied(activation, inputs);
                        outputs[0] * incoming[0] + outputs[1] * incoming[1]
                    };
                    let expected = (moved(h) - moved(-h)) / (2.0 * h);
                    let error = (found - expected).abs() / (1.0 + expected.abs());
                    assert!(error < 1e-7, "{activation} at {pair:?}: {found} for {expected}");
                }
            }
        }
    }

    #[test]
    fn both_number_types_agree() {
        for &activation in Activation::ALL {
            for x in samples(activation) {
                let (mut wide, mut narrow) = ([f64::from(x as f32)], [x as f32]);
                activation.apply(&mut wide);
                activation.apply(&mut narrow);
                let error = (wide[0] - f64::from(narrow[0])).abs() / (1.0 + wide[0].abs());
                assert!(error < 1e-6, "{activation} of {x}: {} and {}", wide[0], narrow[0]);
            }
        }
    }

    #[test]
    fn what_is_not_a_number_is_never_lost() {
        for &activation in Activation::ALL {
            assert!(applied(activation, vec![f64::NAN])[0].is_nan(), "{activation}");
        }
    }

    #[test]
    fn values_at_chosen_points() {
        let check = |activation: Activation, x: f64, expected: f64| {
            assert_eq!(applied(activation, vec![x]), [expected], "{activation} of {x}");
        };
        check(Activation::Sigmoid, 0.0, 0.5);
        check(Activation::LukasiewiczConjunction, -0.5, 0.0);
        check(Activation::LukasiewiczDisjunction, 1.5, 1.0);
        check(Activation::Lukasiewicz, 0.25, 0.25);
        check(Activation::LeakyRelu, -2.0, -0.02);
        check(Activation::Sign, -3.0, -1.0);
        check(Activation::Step, 0.0, 0.0);
        check(Activation::Reverse, 0.25, 0.75);
        check(Activation::Softmax, 3.0, 1.0);
        assert_eq!(applied(Activation::Softmax, vec![0.0, 0.0, 800.0 - 800.0, 0.0]), [0.25; 4]);
    }
}
