//! The train room. In: networks with the targets of their queries, and settings. Out: weights, and what happened on
//! the way. It knows nothing of joins, text or files.
//!
//! A [`Problem`] is what there is to learn, a [`Learner`] goes through it epoch by epoch, and its [`State`] is all
//! that is needed to go on another time. Losses, optimizers, rates and settings are tables.

mod answered;
mod arrangement;
mod cases;
mod checkpoint;
mod counted;
mod each;
mod lbfgs;
mod learner;
mod limit;
mod loss;
mod observer;
mod optimizer;
mod order;
mod problem;
mod rate;
mod setting;
mod settings;
mod state;
mod uninformative;

pub use answered::Answered;
pub use arrangement::Arrangement;
pub use cases::{Cases, CasesView};
pub use counted::classes;
pub use each::Judged;
pub use lbfgs::Curvature;
pub use learner::Learner;
pub use limit::least_wrong;
pub use loss::{Loss, Outcome};
pub use observer::{Epoch, Observer, Unobserved};
pub use optimizer::{Optimizer, Stride};
pub use order::{Split, shuffled};
pub use problem::{Measure, Problem, Unentailed};
pub use rate::Schedule as RateSchedule;
pub use setting::{Count, Names, Setting, SettingError, Share};
pub use settings::Settings;
pub use state::{Best, End, Restart, State, Trouble, Where};
pub use uninformative::uninformative;

#[cfg(test)]
mod tests;
