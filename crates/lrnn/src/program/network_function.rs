//! The networks of some examples as one differentiable function, for whoever has an optimizer or other networks of their
//! own: weights and the values of facts go in as one array, the values of queries come out as another.

use std::ops::Range;

use super::Program;
use crate::data::Dataset;
use crate::diagnostic::Error;
use crate::function::Real;
use crate::network::{BuildOptions, Network, Networks, Parameters, Workspace};
use crate::threads::{each, each_with};
use crate::vocabulary::PredicateId;

/// The most examples computed together. Fixed, as in learning.
const MOST_TOGETHER: usize = 64;
/// The most gradients that are added up: each of neighbouring networks, so that the sum has the same bits on any number
/// of threads, and memory does not grow with their number.
const MOST_GRADIENTS: usize = 8;

/// A template grounded with examples, as a function from numbers (weights, then the values of facts that are inputs, as
/// [`NetworkFunction::parameters`] says) to the values of all queries.
///
/// ```
/// use lrnn::program::NetworkFunction;
/// use lrnn::{Limits, Program, Template};
/// let template = Template::parse("foal(A) :- parent(A, P), horse(P). [activation = identity]")?;
/// let mut data = template.data();
/// data.example("").fact("parent", ("star", "aida")).fact_with(0.7, "horse", ("aida",)).query("foal", ("star",));
/// let data = data.build()?;
/// let horse = data.vocabulary.find_predicate("horse", 1).expect("horse/1");
/// let function = NetworkFunction::new(Program::new(&template, &data, Limits::default())?, &data, &[horse])?;
/// let numbers: Vec<f64> = function.parameters().values(function.program().template(), &data.vocabulary, &Default::default());
/// let (values, mut tape) = function.forward(&numbers, 0.0);
/// let gradient = function.backward(&mut tape, &[1.0]);
/// assert_eq!((values.len(), gradient.len()), (1, numbers.len()));
/// assert!(gradient[numbers.len() - 1] > 0.0); // by the value of horse(aida)
/// # Ok::<(), lrnn::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct NetworkFunction {
    program: Program,
    networks: Networks,
    /// The numbers of each query among all values, network by network.
    queries: Vec<Vec<Range<usize>>>,
    values: usize,
}

/// The values that a forward pass leaves for backward passes.
#[derive(Clone, Debug)]
pub struct Tape<R> {
    numbers: Vec<R>,
    spaces: Vec<Workspace<R>>,
}

impl NetworkFunction {
    /// Grounds the examples. The values of their facts of the input predicates are numbers that go in.
    pub fn new(program: Program, dataset: &Dataset, inputs: &[PredicateId]) -> Result<Self, Error> {
        let program = program.with_inputs(inputs);
        let examples: Vec<usize> = (0..dataset.examples.len()).collect();
        let chunks: Vec<Vec<usize>> = examples.chunks(MOST_TOGETHER).map(<[usize]>::to_vec).collect();
        let networks = program.networks(dataset, BuildOptions::default(), &chunks)?;
        let mut values = 0;
        let mut range = |&(example, query): &(usize, usize)| {
            let first = values;
            values += program.shape(dataset.queries[example][query].predicate).size();
            first..values
        };
        let queries =
            chunks.iter().map(|chunk| dataset.places(chunk).iter().map(&mut range).collect()).collect();
        Ok(Self { program, networks, queries, values })
    }

    /// Returns the program it was grounded by.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// Returns which numbers go in.
    pub fn parameters(&self) -> &Parameters {
        &self.networks.parameters
    }

    /// Returns, for each number that goes in, how many contributions enter the atom that it feeds, at most.
    pub fn contributions(&self) -> Vec<u32> {
        self.networks.contributions(0..self.networks.networks.len())
    }

    /// Returns for each query, in the order of examples, whether it is in the model.
    pub fn entailed(&self) -> impl Iterator<Item = bool> {
        let networks = self.networks.networks.iter().zip(&self.queries);
        networks.flat_map(|(network, own)| (0..own.len()).map(|query| network.is_entailed(query)))
    }

    /// Returns the values of all queries in the order of examples, `outside` for those outside the model, and the tape.
    pub fn forward<R: Real>(&self, numbers: &[R], outside: R) -> (Vec<R>, Tape<R>) {
        let of = |network: &Network| {
            let mut space = Workspace::default();
            network.forward(self.program.schedule(), numbers, &mut space);
            space
        };
        let spaces = match &self.networks.networks[..] {
            [only] => vec![of(only)], // starts no threads
            networks => each(networks, of),
        };
        let mut values = vec![outside; self.values];
        for (at, space) in spaces.iter().enumerate() {
            for (query, range) in self.queries[at].iter().enumerate() {
                if let Some(value) = space.output(&self.networks.networks[at], query) {
                    values[range.clone()].copy_from_slice(value);
                }
            }
        }
        (values, Tape { numbers: numbers.to_vec(), spaces })
    }

    /// Returns the gradient by all numbers, from that by all values.
    pub fn backward<R: Real>(&self, tape: &mut Tape<R>, by_values: &[R]) -> Vec<R> {
        let Tape { numbers, spaces } = tape;
        let together = spaces.len().div_ceil(MOST_GRADIENTS).max(1);
        let of = |(part, spaces): (usize, &mut [Workspace<R>])| {
            let mut gradient = vec![R::ZERO; numbers.len()];
            for (at, space) in (part * together..).zip(spaces) {
                let queries = &self.queries[at];
                let seed = |query: usize, _: &[R], out: &mut [R]| {
                    out.copy_from_slice(&by_values[queries[query].clone()]);
                };
                let network = &self.networks.networks[at];
                network.backward(self.program.schedule(), numbers, space, seed, &mut gradient);
            }
            gradient
        };
        let parts = spaces.chunks_mut(together).enumerate();
        let gradients: Vec<Vec<R>> = match parts.len() {
            0 | 1 => parts.map(of).collect(),
            _ => each_with(parts, |_: &mut (), part| of(part)),
        };
        let mut sum = vec![R::ZERO; numbers.len()];
        for gradient in gradients {
            sum.iter_mut().zip(gradient).for_each(|(sum, slope)| *sum += slope);
        }
        sum
    }
}
