//! The settings of learning. One table has the name, the default and a line about each; the file `lrnn.toml`, the
//! flags of the command and `lrnn list` follow from it.

use super::loss::Loss;
use super::optimizer::Optimizer;
use super::problem::Unentailed;
use super::rate::Schedule;
use super::setting::{Count, Names, Setting, SettingError, Share, settings};
use crate::model::Precision;
use crate::network::Initialisation;

settings! {
    /// How learning goes.
    pub struct Settings {
        /// How far values are from targets; what suits the template if it is not given.
        pub loss: Option<Loss> = None;
        /// How a gradient becomes a step.
        pub optimizer: Optimizer = Optimizer::Adam;
        /// How long a step is.
        pub rate: f64 = 0.01;
        /// How the rate changes with the epochs.
        pub schedule: Schedule = Schedule::Constant;
        /// The factor of the schedules step and geometric.
        pub rate_factor: f64 = 0.5;
        /// After how many epochs the schedule step multiplies the rate.
        pub rate_every: Count = Count(100);
        /// How much of the speed momentum keeps, and of the mean gradient Adam.
        pub momentum: Share = Share(0.9);
        /// How many times all examples are gone through.
        pub epochs: u32 = 300;
        /// How many examples make a step; 0 for all.
        pub batch: u32 = 1;
        /// How often learning begins anew from other random weights; the best is kept.
        pub restarts: Count = Count(1);
        /// A restart is done when its training loss is no larger; later ones are not needed then.
        pub until: f64 = 0.0;
        /// Draws weights to 0: the slope of their absolute values, times this.
        pub l1: f64 = 0.0;
        /// Draws weights to 0: the slope of half their squares, times this.
        pub l2: f64 = 0.0;
        /// The longest gradient of a step; 0 for any.
        pub clip: f64 = 0.0;
        /// Where weights begin that start at random.
        pub start: Initialisation = Initialisation::FanIn;
        /// How far from 0 they begin.
        pub start_scale: f64 = 1.0;
        /// Stop when the validation loss has not become smaller for so many epochs, and keep its best weights; 0 for never.
        pub patience: u32 = 0;
        /// After how many epochs the losses over all examples are computed, and the best weights kept.
        pub evaluate: Count = Count(10);
        /// Weigh examples so that all classes count the same.
        pub balanced: bool = false;
        /// Weights that do not learn, by their names.
        pub freeze: Names = Names(Vec::new());
        /// The share of the examples that are held out for validation.
        pub validation: Share = Share(0.0);
        /// The share of the examples that are held out for the test at the end.
        pub test: Share = Share(0.0);
        /// The precision of the numbers.
        pub precision: Precision = Precision::F32;
        /// Make equal neurons one, which changes nothing but the time.
        pub merge: bool = true;
        /// What a query outside the model is: `error`, `skip`, or a value.
        pub unentailed: Unentailed = Unentailed::Value(0.0);
        /// What everything random depends on.
        pub seed: u64 = 0;
    }
}
