//! The train room. In: networks with the targets of their queries, and settings. Out: weights, and what happened on
//! the way. It knows nothing of joins, text or files.
//!
//! A [`Problem`] is what there is to learn, a [`Learner`] goes through it epoch by epoch, and its [`State`] is all
//! that is needed to go on another time. Losses, optimizers, rates and settings are tables.

mod answer_loss;
mod arrangement;
mod cases;
mod checkpoint;
mod choice;
mod columns;
mod crew;
mod dropout;
mod example_answers;
mod example_queries;
mod kernel;
mod kernel_learning;
mod last_layer;
mod lbfgs;
mod learner;
mod limit;
mod loss;
mod matrix;
mod observer;
mod optimizer;
mod order;
mod problem;
mod rate;
mod sampling;
mod setting;
mod settings;
mod state;
mod uninformative;

pub use answer_loss::AnswerLoss;
pub use arrangement::Arrangement;
pub use cases::{Cases, CasesView};
pub use crew::Crew;
pub(crate) use crew::{Away, ShardPart};
pub use example_answers::ExampleAnswers;
pub use example_queries::{classes, targets_are_numbers};
pub use kernel::{Bag, Readout, SupportKernel, Views};
pub use kernel_learning::{KernelUses, LearnedKernel};
pub use lbfgs::Curvature;
pub use learner::Learner;
pub use limit::least_wrong;
pub use loss::{Loss, Outcome};
pub use observer::{Epoch, NoObserver, Observer};
pub use optimizer::{Optimizer, Stride};
pub use order::{Split, shuffled};
pub use problem::{Measure, Problem, Unentailed, mean_values};
pub use rate::RateSchedule;
pub use setting::{Count, NameList, NamedSettings, Setting, SettingError, Share};
pub use settings::Settings;
pub use state::{Best, End, Restart, State, Trouble, TroublePlace};
pub use uninformative::uninformative;

#[cfg(test)]
mod tests;
