//! Lifted relational neural networks: weighted first-order rules that unfold into a neural network with each example,
//! and learn.
//!
//! A [`Template`] is the rules, a [`Dataset`] the examples, built in memory or read from text. [`fit`] learns the weights
//! and gives a [`Model`]; its [`Predictor`] answers new examples, all at once or one at a time.
//!
//! ```
//! use lrnn::{Settings, Template, fit};
//!
//! let template = Template::parse("w[T] :: toxic :- element(A, T).")?; // one weight for every element
//! let mut data = template.data();
//! data.example("ethane").fact("element", ("a1", "c")).target(0.0, "toxic", ());
//! data.example("phosgene").fact("element", ("a1", "cl")).target(1.0, "toxic", ());
//! let fitted = fit(&template, &data.build()?, &Settings { epochs: 50, ..Settings::default() })?;
//!
//! let predictor = fitted.model.predictor()?; // compiled once, cheap to clone, for many threads
//! let mut request = predictor.data();
//! request.example("new").fact("element", ("x", "cl")).fact("element", ("y", "c"));
//! let answers = predictor.predict(&request.build()?)?; // asks what training asked
//! assert_eq!((answers.all[0].query.as_str(), answers.all[0].class), ("toxic", Some(1)));
//! # Ok::<(), lrnn::Error>(())
//! ```
//!
//! Why the value is what it is:
//!
//! ```
//! # use lrnn::{Settings, Template, fit};
//! # let template = Template::parse("w[T] :: toxic :- element(A, T).")?;
//! # let mut data = template.data();
//! # data.example("ethane").fact("element", ("a1", "c")).target(0.0, "toxic", ());
//! # data.example("phosgene").fact("element", ("a1", "cl")).target(1.0, "toxic", ());
//! # let fitted = fit(&template, &data.build()?, &Settings { epochs: 50, ..Settings::default() })?;
//! # let mut request = template.data();
//! # request.example("new").fact("element", ("x", "cl")).fact("element", ("y", "c"));
//! let explained = fitted.model.explain(&request.build()?)?;
//! let toxic = &explained[0].contributions;
//! let chlorine = toxic.constants.iter().find(|it| it.constant == "x");
//! assert!(chlorine.is_some_and(|it| it.contribution > 0.0)); // the atom that speaks for it
//! assert!((toxic.baseline + toxic.sum - toxic.value).abs() < 1e-12); // contributions add up
//! # Ok::<(), lrnn::Error>(())
//! ```
//!
//! The rooms below are the engine itself, in the order the data flows. The crate is pure: it reads no files, prints
//! nothing, asks no clock and no environment. Files are the business of `lrnn-io`.

pub mod data;
pub mod diagnostic;
pub mod evaluate;
pub mod explain;
pub mod function;
pub mod ground;
pub mod model;
pub mod network;
pub mod program;
pub mod syntax;
pub mod template;
#[doc(hidden)] // `Threads` is all that others need of it
pub mod threads;
pub mod train;
pub mod vocabulary;

pub use data::{Column, Dataset, DatasetBuilder, Table, Value};
pub use diagnostic::{Error, ErrorKind};
pub use ground::{Limits, Stop};
pub use model::Model;
pub use program::{
    Answer, Answers, Fit, Predictor, Program, Scores, Training, TrainingOptions, fit, fit_observed,
};
pub use template::Template;
pub use threads::Threads;
pub use train::{Epoch, Observer, Settings};

/// The version of the library, which every model it writes is marked with.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;

#[cfg(doctest)]
#[doc = include_str!("../../../docs/rust.md")]
struct RustPage;
