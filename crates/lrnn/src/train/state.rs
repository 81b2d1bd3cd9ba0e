//! Where learning stands: all that is needed to go on.

use super::lbfgs::Curvature;
use crate::function::Real;

/// The place of the first number that is not finite.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TroublePlace {
    /// In a value, and so in the loss.
    Value,
    /// In the gradient.
    Gradient,
    /// In a weight.
    Weight,
    /// In no number: a cycle does not settle.
    Settling,
}

/// Numbers that grew beyond all bounds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Trouble {
    /// The epoch, counted from 1.
    pub epoch: u32,
    /// The example.
    pub example: Option<usize>,
    /// Place in the text.
    pub place: TroublePlace,
}

/// A reason why a restart goes no further.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// All epochs are done.
    Epochs,
    /// The loss is small enough.
    Until,
    /// No step makes the loss smaller.
    Converged,
    /// The validation loss became no smaller.
    Patience,
    /// The numbers grew beyond all bounds; the weights are those before that epoch.
    Trouble(Trouble),
}

/// The best weights so far.
#[derive(Clone, PartialEq, Debug)]
pub struct Best<R> {
    /// After which epoch.
    pub epoch: u32,
    /// Their loss: in validation, or in training with what regularisation adds.
    pub loss: f64,
    /// The weights.
    pub parameters: Vec<R>,
}

/// A restart on its way.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Restart<R> {
    /// Its number, from 0.
    pub number: u32,
    /// Number of epochs done.
    pub epoch: u32,
    /// Number of steps.
    pub steps: u64,
    /// The weights.
    pub parameters: Vec<R>,
    /// The memory of the optimizer.
    pub memories: Vec<Vec<R>>,
    /// The curvature, if the optimizer uses it.
    pub curvature: Curvature<R>,
    /// The best weights so far.
    pub best: Option<Best<R>>,
    /// Reason why it goes no further, if it does not.
    pub end: Option<End>,
    /// The weights with which numbers grew beyond all bounds.
    pub lost: Vec<R>,
}

impl<R: Real> Restart<R> {
    /// Returns the beginning.
    pub(super) fn new(number: u32, parameters: Vec<R>, memories: usize) -> Self {
        let memories = vec![vec![R::ZERO; parameters.len()]; memories];
        Self { number, parameters, memories, ..Self::default() }
    }

    /// Returns its best weights: those kept, or the last ones.
    pub fn weights(&self) -> &[R] {
        self.best.as_ref().map_or(&self.parameters, |best| &best.parameters)
    }
}

/// All restarts.
#[derive(Clone, PartialEq, Debug)]
pub struct State<R> {
    /// The restarts, by number.
    pub restarts: Vec<Restart<R>>,
    /// The number of restarts whose mean is the model, from 1.
    pub ensemble: u32,
}

impl<R: Real> State<R> {
    /// Returns whether there is nothing left to do.
    pub fn is_finished(&self) -> bool {
        self.restarts[..self.needed()].iter().all(|restart| restart.end.is_some())
    }

    /// Returns how many of the restarts are needed: when enough have reached what was asked for, later ones are not.
    pub(super) fn needed(&self) -> usize {
        let reached = self.restarts.iter().enumerate().filter(|(_, restart)| restart.end == Some(End::Until));
        reached.map(|(at, _)| at + 1).nth(self.ensemble as usize - 1).unwrap_or(self.restarts.len())
    }

    /// Returns the restart with the least loss; the first that reached what was asked for, if one did.
    pub fn best(&self) -> &Restart<R> {
        self.members()[0]
    }

    /// Returns the restarts whose mean is the model, the best first: those that reached what was asked for, then those with
    /// the least loss. A restart whose numbers diverged before its first evaluation is none of them, unless all did.
    pub fn members(&self) -> Vec<&Restart<R>> {
        let loss = |restart: &Restart<R>| match (restart.end, &restart.best) {
            (Some(End::Until), _) => f64::NEG_INFINITY,
            (_, Some(best)) => best.loss,
            (_, None) => f64::INFINITY,
        };
        let mut members: Vec<&Restart<R>> = self.restarts.iter().collect();
        members.sort_by(|a, b| loss(a).total_cmp(&loss(b)));
        let known = members.iter().filter(|restart| restart.best.is_some()).count();
        members.truncate(known.clamp(1, self.ensemble as usize));
        members
    }

    /// Returns the trouble of every restart that met it.
    pub fn troubles(&self) -> impl Iterator<Item = (&Restart<R>, Trouble)> {
        self.restarts.iter().filter_map(|restart| match restart.end {
            Some(End::Trouble(trouble)) => Some((restart, trouble)),
            _ => None,
        })
    }
}
