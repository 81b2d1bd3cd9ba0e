//! The settings of learning. One table has the name, older names, the default and a line about each; the file
//! `lrnn.toml`, the flags of the command and `lrnn list` follow from it.

use super::kernel::Readout;
use super::loss::Loss;
use super::optimizer::Optimizer;
use super::problem::Unentailed;
use super::rate::RateSchedule;
use super::setting::{Count, NameList, Setting, SettingError, Share, settings};
use crate::model::Precision;
use crate::network::Initialisation;

settings! {
    /// The settings of learning.
    pub struct Settings {
        /// Loss function; chosen to suit the template if it is not given.
        pub loss: Option<Loss> = None;
        /// Source of the numbers of indexed weights: learned, or said by training examples that are like the example.
        pub readout: Readout = Readout::Weights;
        /// Optimizer; `auto` chooses it, and every other setting that is not given, from the template and the data.
        pub optimizer: Optimizer = Optimizer::Auto;
        /// Learning rate.
        pub learning_rate | rate: f64 = 0.01;
        /// Learning rate schedule.
        pub schedule: RateSchedule = RateSchedule::Constant;
        /// Factor by which the schedules step and geometric multiply the learning rate.
        pub decay_factor | rate_factor: f64 = 0.5;
        /// Number of epochs after which the schedule step multiplies the learning rate.
        pub decay_every | rate_every: Count = Count(100);
        /// Momentum of the optimizer momentum, and first decay rate (β₁) of Adam.
        pub momentum: Share = Share(0.9);
        /// Number of passes over the training examples.
        pub epochs: u32 = 300;
        /// Number of examples in a batch; 0 for all.
        pub batch_size | batch: u32 = 1;
        /// Number of queries in a batch, where the data is one example: each batch has the network of what its queries reach; 0 for all.
        pub batch_queries: u32 = 0;
        /// Neighbour sampling: most ground rules that an aggregation neuron keeps in a batch of queries, drawn anew in every epoch; 0 for all.
        pub sampled_neighbours | sampled_neighbors, num_neighbors: u32 = 0;
        /// Number of random restarts; the one with the least training loss is kept, or those of an ensemble.
        pub restarts: Count = Count(1);
        /// Number of restarts, those with the least loss, whose mean answer is the model's.
        pub ensemble: Count = Count(1);
        /// Training loss at which a restart stops and later ones are not needed; 0 for none.
        pub target_loss | until: f64 = 0.0;
        /// L1 regularisation: factor of the sum of absolute weights.
        pub l1: f64 = 0.0;
        /// L2 regularisation (weight decay): factor of half the sum of squared weights.
        pub l2: f64 = 0.0;
        /// Share of the numbers of learnable weights that are left out of each step; never when predicting.
        pub dropout: Share = Share(0.0);
        /// Gradient clipping: largest norm of a gradient; 0 for no clipping.
        pub gradient_clip | clip: f64 = 0.0;
        /// Gradient clipping by value: largest absolute slope of a weight, before the norm is looked at; 0 for no clipping.
        pub gradient_clip_value | clip_value: f64 = 0.0;
        /// Initialisation of random weights.
        pub initialisation | initialization, start: Initialisation = Initialisation::FanIn;
        /// Scale of the initialisation.
        pub initialisation_scale | initialization_scale, start_scale: f64 = 1.0;
        /// Early stopping: stop when the validation loss has not improved for so many epochs, keeping the best weights; 0 for never.
        pub patience: u32 = 0;
        /// Number of epochs between evaluations of the training and validation loss, at which the best weights are kept.
        pub evaluate: Count = Count(10);
        /// Weight examples so that all classes count the same.
        pub class_balance | balanced: bool = false;
        /// Names of weights that do not learn, with commas between them.
        pub freeze: NameList = NameList(Vec::new());
        /// Fraction of the examples held out for validation.
        pub validation: Share = Share(0.0);
        /// Fraction of the examples held out for the test at the end.
        pub test: Share = Share(0.0);
        /// Floating-point precision.
        pub precision: Precision = Precision::F32;
        /// Merge equal neurons, which changes nothing but the time.
        pub merge: bool = true;
        /// Value of a query outside the model: a number, `error` or `skip`.
        pub unentailed: Unentailed = Unentailed::Value(0.0);
        /// Random seed.
        pub seed: u64 = 0;
    }
}

impl Settings {
    /// Returns whether batches have networks of their own, built when it is their turn.
    pub fn is_sampled(&self) -> bool {
        self.batch_queries > 0 || self.sampled_neighbours > 0
    }
}
