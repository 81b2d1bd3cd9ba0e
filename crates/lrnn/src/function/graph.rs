//! Functions of a neuron's inputs that are put together from others: `a + b * tanh(c)`.

use super::activation::{Activation, LEAK};
use super::combination::Combination;
use super::product::{OwnedValue, View};
use super::real::Real;
use super::shape::Shape;

/// A function of one value, which may change its shape.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Transformation {
    /// An activation.
    Activation(Activation),
    /// x where x > 0, else x times this slope.
    LeakyRelu(f64),
    /// Rows and columns exchanged.
    Transpose,
    /// The rows and columns from the one up to the other, which is left out; `None` is all.
    Slice {
        /// The rows.
        rows: Option<(u32, u32)>,
        /// The columns.
        columns: Option<(u32, u32)>,
    },
    /// The same numbers, row by row, in another shape.
    Reshape(Shape),
}

impl From<Activation> for Transformation {
    fn from(activation: Activation) -> Self {
        Self::Activation(activation)
    }
}

impl Transformation {
    /// The names of transformations that are no activations.
    pub const NAMES: [&'static str; 3] = ["transpose", "slice", "reshape"];

    /// Returns the activation it is, if it is one and nothing else.
    pub fn activation(self) -> Option<Activation> {
        match self {
            Self::Activation(activation) => Some(activation),
            Self::LeakyRelu(slope) if slope == LEAK => Some(Activation::LeakyRelu),
            _ => None,
        }
    }

    /// Returns the shape of the result, or `None` where it is not defined.
    pub fn shape(self, shape: Shape) -> Option<Shape> {
        match self {
            Self::Activation(_) | Self::LeakyRelu(_) => Some(shape),
            Self::Transpose => Some(shape.transposed()),
            Self::Slice { rows, columns } => {
                let within = |range: Option<(u32, u32)>, all: u32| match range {
                    None => Some(all),
                    Some((from, to)) => (from < to && to <= all).then(|| to - from),
                };
                Some(Shape::matrix(within(rows, shape.rows)?, within(columns, shape.columns)?))
            }
            Self::Reshape(other) => (other.size() == shape.size()).then_some(other),
        }
    }

    /// Returns, for each number of the result, the place of the number that it is.
    fn places(self, shape: Shape) -> Vec<usize> {
        let at = |row: u32, column: u32| (row * shape.columns + column) as usize;
        match self {
            Self::Transpose => (0..shape.columns)
                .flat_map(|column| (0..shape.rows).map(move |row| at(row, column)))
                .collect(),
            Self::Slice { rows, columns } => {
                let (rows, columns) =
                    (rows.unwrap_or((0, shape.rows)), columns.unwrap_or((0, shape.columns)));
                (rows.0..rows.1)
                    .flat_map(|row| (columns.0..columns.1).map(move |column| at(row, column)))
                    .collect()
            }
            _ => (0..shape.size()).collect(),
        }
    }

    /// Returns the value transformed, or `None` where it cannot be.
    pub fn apply<R: Real>(self, (numbers, shape): View<'_, R>) -> Option<OwnedValue<R>> {
        let result = self.shape(shape)?;
        let numbers = match self {
            Self::Activation(activation) => {
                let mut numbers = numbers.to_vec();
                activation.apply(&mut numbers);
                numbers
            }
            Self::LeakyRelu(slope) => {
                let slope = R::from_f64(slope);
                numbers.iter().map(|&x| if x < R::ZERO { x * slope } else { x }).collect()
            }
            _ => self.places(shape).into_iter().map(|place| numbers[place]).collect(),
        };
        Some((numbers, result))
    }

    /// Returns the gradient by the value, from the value, the result and the gradient by the result.
    pub fn backward<R: Real>(self, (numbers, shape): View<'_, R>, result: &[R], gradient: &[R]) -> Vec<R> {
        match self {
            Self::Activation(activation) => {
                let mut gradient = gradient.to_vec();
                activation.backward(numbers, result, &mut gradient);
                gradient
            }
            Self::LeakyRelu(slope) => {
                let slope = R::from_f64(slope);
                let slopes = numbers.iter().map(|&x| if x > R::ZERO { R::ONE } else { slope });
                slopes.zip(gradient).map(|(slope, &gradient)| slope * gradient).collect()
            }
            _ => {
                let mut given = vec![R::ZERO; numbers.len()];
                self.places(shape).into_iter().zip(gradient).for_each(|(place, &by)| given[place] += by);
                given
            }
        }
    }
}

/// A part of a function graph.
#[derive(Clone, PartialEq, Debug)]
pub enum FunctionNode {
    /// The input with this number.
    Input(u32),
    /// All inputs, in order, combined.
    All(Combination),
    /// Nodes before this one, combined.
    Combined(Combination, Vec<u32>),
    /// A node before this one, transformed.
    Transformed(Transformation, u32),
}

/// A function of inputs as nodes, each after those it needs; the last one is the result.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct FunctionGraph {
    /// The nodes.
    pub nodes: Vec<FunctionNode>,
}

impl FunctionGraph {
    /// Returns the graph of a transformation of all inputs combined.
    pub fn transformed(transformation: Transformation, combination: Combination) -> Self {
        Self { nodes: vec![FunctionNode::All(combination), FunctionNode::Transformed(transformation, 0)] }
    }

    /// Adds a node and returns its number.
    pub fn push(&mut self, node: FunctionNode) -> u32 {
        self.nodes.push(node);
        self.nodes.len() as u32 - 1
    }

    /// Returns the shape of the result.
    pub fn shape(&self, inputs: &[Shape]) -> Option<Shape> {
        let mut shapes: Vec<Shape> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            let shape = match node {
                FunctionNode::Input(input) => *inputs.get(*input as usize)?,
                FunctionNode::All(combination) => combination.shape(inputs)?,
                FunctionNode::Combined(combination, nodes) => {
                    combination.shape(&nodes.iter().map(|&node| shapes[node as usize]).collect::<Vec<_>>())?
                }
                FunctionNode::Transformed(transformation, node) => {
                    transformation.shape(shapes[*node as usize])?
                }
            };
            shapes.push(shape);
        }
        shapes.pop()
    }

    /// Returns the value of every node.
    fn values<R: Real>(&self, inputs: &[View<'_, R>]) -> Option<Vec<OwnedValue<R>>> {
        let mut values: Vec<OwnedValue<R>> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            let value = match node {
                FunctionNode::Input(input) => inputs.get(*input as usize).map(|it| (it.0.to_vec(), it.1))?,
                FunctionNode::All(combination) => combination.apply(inputs)?,
                FunctionNode::Combined(combination, nodes) => combination.apply(&of(nodes, &values))?,
                FunctionNode::Transformed(transformation, node) => {
                    transformation.apply(view(&values[*node as usize]))?
                }
            };
            values.push(value);
        }
        Some(values)
    }

    /// Returns the value of the inputs, or `None` where their shapes do not fit.
    pub fn apply<R: Real>(&self, inputs: &[View<'_, R>]) -> Option<OwnedValue<R>> {
        self.values(inputs)?.pop()
    }

    /// Returns the gradient by each input, from the gradient by the result.
    pub fn backward<R: Real>(&self, inputs: &[View<'_, R>], gradient: &[R]) -> Option<Vec<Vec<R>>> {
        let values = self.values(inputs)?;
        let mut by_nodes: Vec<Vec<R>> =
            values.iter().map(|(numbers, _)| vec![R::ZERO; numbers.len()]).collect();
        let mut by_inputs: Vec<Vec<R>> =
            inputs.iter().map(|(numbers, _)| vec![R::ZERO; numbers.len()]).collect();
        add(by_nodes.last_mut()?, gradient);
        for (at, node) in self.nodes.iter().enumerate().rev() {
            let by_node = std::mem::take(&mut by_nodes[at]);
            match node {
                FunctionNode::Input(input) => add(&mut by_inputs[*input as usize], &by_node),
                FunctionNode::All(combination) => {
                    let given = combination.backward(inputs, &by_node)?;
                    by_inputs.iter_mut().zip(&given).for_each(|(sum, by)| add(sum, by));
                }
                FunctionNode::Combined(combination, nodes) => {
                    let given = combination.backward(&of(nodes, &values), &by_node)?;
                    nodes.iter().zip(&given).for_each(|(&node, by)| add(&mut by_nodes[node as usize], by));
                }
                FunctionNode::Transformed(transformation, node) => {
                    let below = view(&values[*node as usize]);
                    let given = transformation.backward(below, &values[at].0, &by_node);
                    add(&mut by_nodes[*node as usize], &given);
                }
            }
        }
        Some(by_inputs)
    }
}

fn view<R>((numbers, shape): &OwnedValue<R>) -> View<'_, R> {
    (numbers, *shape)
}

fn of<'a, R>(nodes: &[u32], values: &'a [OwnedValue<R>]) -> Vec<View<'a, R>> {
    nodes.iter().map(|&node| view(&values[node as usize])).collect()
}

fn add<R: Real>(sum: &mut [R], by: &[R]) {
    sum.iter_mut().zip(by).for_each(|(sum, &by)| *sum += by);
}

/// A way in which the inputs of a neuron become one value: one combination of all, or a graph of functions.
#[derive(Clone, PartialEq, Debug)]
pub enum Combiner {
    /// All inputs, combined.
    All(Combination),
    /// A graph over the inputs.
    Graph(FunctionGraph),
}

impl From<Combination> for Combiner {
    fn from(combination: Combination) -> Self {
        Self::All(combination)
    }
}

impl Combiner {
    /// Returns whether it takes the largest or smallest of several values somewhere.
    pub fn takes_one(&self) -> bool {
        let is_one = |combination: &Combination| matches!(combination, Combination::Max | Combination::Min);
        match self {
            Self::All(combination) => is_one(combination),
            Self::Graph(graph) => graph.nodes.iter().any(|node| match node {
                FunctionNode::All(combination) | FunctionNode::Combined(combination, _) => {
                    is_one(combination)
                }
                FunctionNode::Input(_) | FunctionNode::Transformed(..) => false,
            }),
        }
    }

    /// Returns whether it is the sum.
    #[inline]
    pub fn is_sum(&self) -> bool {
        *self == Self::All(Combination::Sum)
    }

    /// Returns whether the shape of the result is that of a sum, however many inputs there are.
    pub fn is_element_wise(&self) -> bool {
        matches!(self, Self::All(combination) if combination.is_element_wise())
    }

    /// Returns its name, for a message.
    pub fn name(&self) -> &'static str {
        match self {
            Self::All(combination) => combination.name(),
            Self::Graph(_) => "function",
        }
    }

    /// Returns the shape of the result, or `None` where inputs of these shapes cannot be combined so.
    pub fn shape(&self, inputs: &[Shape]) -> Option<Shape> {
        match self {
            Self::All(combination) => combination.shape(inputs),
            Self::Graph(graph) => graph.shape(inputs),
        }
    }

    /// Returns the inputs combined, or `None` where inputs of these shapes cannot be.
    pub fn apply<R: Real>(&self, inputs: &[View<'_, R>]) -> Option<OwnedValue<R>> {
        match self {
            Self::All(combination) => combination.apply(inputs),
            Self::Graph(graph) => graph.apply(inputs),
        }
    }

    /// Returns the gradient by each input, from the gradient by the result.
    pub fn backward<R: Real>(&self, inputs: &[View<'_, R>], gradient: &[R]) -> Option<Vec<Vec<R>>> {
        match self {
            Self::All(combination) => combination.backward(inputs, gradient),
            Self::Graph(graph) => graph.backward(inputs, gradient),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(graph: &FunctionGraph, inputs: &[OwnedValue<f64>], expected: &[f64]) {
        let views: Vec<View<'_, f64>> = inputs.iter().map(view).collect();
        let (result, shape) = graph.apply(&views).unwrap();
        assert_eq!(graph.shape(&inputs.iter().map(|it| it.1).collect::<Vec<_>>()), Some(shape));
        assert!(result.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12), "{result:?}");
        let incoming: Vec<f64> = (0..result.len()).map(|at| 0.5 + at as f64).collect();
        let given = graph.backward(&views, &incoming).unwrap();
        for (input, at) in
            inputs.iter().enumerate().flat_map(|(it, value)| (0..value.0.len()).map(move |at| (it, at)))
        {
            let moved = |by: f64| {
                let mut inputs = inputs.to_vec();
                inputs[input].0[at] += by;
                let views: Vec<View<'_, f64>> = inputs.iter().map(view).collect();
                dot(&graph.apply(&views).unwrap().0, &incoming)
            };
            let difference = (moved(1e-6) - moved(-1e-6)) / 2e-6;
            assert!((given[input][at] - difference).abs() < 1e-6, "{} for {difference}", given[input][at]);
        }
    }

    fn dot(a: &[f64], b: &[f64]) -> f64 {
        a.iter().zip(b).map(|(a, b)| a * b).sum()
    }

    #[test]
    fn a_sum_of_products_of_functions() {
        // a + b * tanh(c)
        let mut graph = FunctionGraph::default();
        let [a, b, c] = [0, 1, 2].map(|input| graph.push(FunctionNode::Input(input)));
        let tanh = graph.push(FunctionNode::Transformed(Activation::Tanh.into(), c));
        let product = graph.push(FunctionNode::Combined(Combination::ElementProduct, vec![b, tanh]));
        graph.push(FunctionNode::Combined(Combination::Sum, vec![a, product]));
        let number = |x: f64| (vec![x], Shape::NUMBER);
        check(&graph, &[number(1.0), number(2.0), number(0.3)], &[1.0 + 2.0 * 0.3f64.tanh()]);
    }

    #[test]
    fn transformations_of_shapes() {
        let matrix = (vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0], Shape::matrix(3, 2));
        let of = |transformation| FunctionGraph::transformed(transformation, Combination::Sum);
        let inputs = std::slice::from_ref(&matrix);
        check(&of(Transformation::Transpose), inputs, &[1.0, 3.0, 5.0, 2.0, 4.0, 6.0]);
        let slice = Transformation::Slice { rows: Some((1, 3)), columns: Some((1, 2)) };
        check(&of(slice), inputs, &[4.0, 6.0]);
        check(&of(Transformation::Reshape(Shape::vector(6))), inputs, &matrix.0);
        check(&of(Transformation::LeakyRelu(0.2)), &[(vec![-1.0, 2.0], Shape::vector(2))], &[-0.2, 2.0]);
        let outside = Transformation::Slice { rows: Some((1, 4)), columns: None };
        assert_eq!(outside.shape(matrix.1), None);
        assert_eq!(Transformation::Reshape(Shape::vector(5)).shape(matrix.1), None);
    }
}
