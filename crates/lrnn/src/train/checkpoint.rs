//! A state as bytes and back, to the last bit: for going on another time.

use std::collections::BTreeMap;

use super::lbfgs::Curvature;
use super::state::{Best, End, Restart, State, Trouble, TroublePlace};
use crate::function::{Real, Shape};
use crate::model::{Container, ModelError, Tensor, write};

const PLACES: [TroublePlace; 4] =
    [TroublePlace::Value, TroublePlace::Gradient, TroublePlace::Weight, TroublePlace::Settling];

/// The ends that have nothing to tell, by their numbers from 1.
const ENDS: [End; 4] = [End::Epochs, End::Until, End::Patience, End::Converged];

/// The tensors of a file, by name.
type Tensors<'a> = BTreeMap<String, Tensor<'a>>;

impl<R: Real> State<R> {
    /// Returns the bytes of a file with this state; `texts` tell what it belongs to.
    pub fn to_bytes(&self, version: &str, texts: &BTreeMap<String, String>) -> Result<Vec<u8>, ModelError> {
        let tensors: Vec<Tensor<'_>> = self.restarts.iter().flat_map(tensors_of).collect();
        write(version, texts, &tensors)
    }

    /// Returns the state in these bytes, and the texts.
    pub fn from_bytes(bytes: &[u8]) -> Result<(Self, BTreeMap<String, String>), ModelError> {
        let container = Container::read(bytes)?;
        let tensors: Tensors<'_> =
            container.tensors().map(|tensor| (tensor.name.clone().into_owned(), tensor)).collect();
        let restarts: Option<Vec<Restart<R>>> = (0..)
            .take_while(|number| tensors.contains_key(&format!("{number}.state")))
            .map(|number| restart_of(&tensors, number))
            .collect();
        let restarts = restarts.filter(|restarts| !restarts.is_empty());
        let state = restarts.map(|restarts| Self { restarts, ensemble: 1 });
        state
            .map(|state| (state, container.texts))
            .ok_or(ModelError::Malformed("it holds no state of learning"))
    }
}

fn numbers<R: Real>(name: String, numbers: &[R]) -> Tensor<'static> {
    let wide: Vec<f64> = numbers.iter().map(|number| number.to_f64()).collect();
    Tensor::f64(name, Shape::vector(wide.len() as u32), &wide)
}

fn end_words(end: Option<End>) -> [u64; 4] {
    match end {
        Some(End::Trouble(Trouble { epoch, example, place })) => {
            [5, u64::from(epoch), example.map_or(0, |example| example as u64 + 1), place as u64]
        }
        end => [ENDS.iter().position(|it| Some(*it) == end).map_or(0, |at| at as u64 + 1), 0, 0, 0],
    }
}

fn end_of(words: &[u64]) -> Option<Option<End>> {
    Some(match *words {
        [0, ..] => None,
        [5, epoch, example, place] => Some(End::Trouble(Trouble {
            epoch: u32::try_from(epoch).ok()?,
            example: (example as usize).checked_sub(1),
            place: *PLACES.get(place as usize)?,
        })),
        [number, ..] => Some(*ENDS.get(number as usize - 1)?),
        _ => return None,
    })
}

fn tensors_of<R: Real>(restart: &Restart<R>) -> Vec<Tensor<'static>> {
    let name = |what: &str| format!("{}.{what}", restart.number);
    let curvature = &restart.curvature;
    let best_epoch = restart.best.as_ref().map_or(0, |best| u64::from(best.epoch) + 1);
    let mut words = vec![u64::from(restart.epoch), restart.steps, best_epoch, u64::from(curvature.trials)];
    words.extend(end_words(restart.end));
    let loss = restart.best.as_ref().map_or(0.0, |best| best.loss);
    let mut all = vec![
        Tensor::u64(name("state"), Shape::vector(words.len() as u32), &words),
        numbers(name("numbers"), &[loss, curvature.loss, curvature.length, curvature.short, curvature.long]),
    ];
    let mut add = |what: &str, list: &[R]| {
        if !list.is_empty() {
            all.push(numbers(name(what), list));
        }
    };
    add("parameters", &restart.parameters);
    add("lost", &restart.lost);
    add("base", &curvature.base);
    add("gradient", &curvature.gradient);
    add("direction", &curvature.direction);
    restart.best.iter().for_each(|best| add("best", &best.parameters));
    let memories = restart.memories.iter().enumerate();
    memories.for_each(|(at, memory)| add(&format!("memory.{at}"), memory));
    for (at, (step, change)) in curvature.pairs.iter().enumerate() {
        add(&format!("step.{at}"), step);
        add(&format!("change.{at}"), change);
    }
    all
}

fn restart_of<R: Real>(tensors: &Tensors<'_>, number: u32) -> Option<Restart<R>> {
    let get = |what: &str| tensors.get(&format!("{number}.{what}"));
    let list = |what: &str| {
        let wide = get(what)?.floats()?;
        Some(wide.into_iter().map(R::from_f64).collect::<Vec<R>>())
    };
    let or_none = |what: &str| list(what).unwrap_or_default();
    let all = |what: &str| (0..).map_while(|at| list(&format!("{what}.{at}"))).collect::<Vec<_>>();
    let words = get("state")?.wholes()?;
    let [epoch, steps, best_epoch, trials, end @ ..] = &words[..] else { return None };
    let numbers = get("numbers")?.floats()?;
    let [best_loss, loss, length, short, long] = numbers[..] else { return None };
    let best_epoch = u32::try_from(*best_epoch).ok()?;
    let best = match best_epoch.checked_sub(1) {
        None => None,
        Some(epoch) => Some(Best { epoch, loss: best_loss, parameters: or_none("best") }),
    };
    Some(Restart {
        number,
        epoch: u32::try_from(*epoch).ok()?,
        steps: *steps,
        parameters: or_none("parameters"),
        memories: all("memory"),
        curvature: Curvature {
            base: or_none("base"),
            gradient: or_none("gradient"),
            direction: or_none("direction"),
            pairs: all("step").into_iter().zip(all("change")).collect(),
            loss,
            length,
            short,
            long,
            trials: u32::try_from(*trials).ok()?,
        },
        best,
        end: end_of(end)?,
        lost: or_none("lost"),
    })
}
