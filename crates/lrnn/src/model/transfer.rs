//! Weights from a template into a model, and from a model into a template: its own, or another.

use std::collections::{BTreeMap, BTreeSet};

use super::names::index_words;
use super::{Model, ModelWeight, WeightList, key_name, weight_names};
use crate::diagnostic::listed;
use crate::function::Real;
use crate::network::{Initialisation, Parameters, WeightKey, Weights};
use crate::template::{Template, WeightId};
use crate::vocabulary::Vocabulary;

/// The fate of a model's weights in a template, each by its full name.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct WeightMatch {
    /// In both: the template has the model's numbers.
    pub matched: Vec<String>,
    /// In the template only: they begin where the template says.
    pub missing: Vec<String>,
    /// In the model only, or fixed by the template, or at an index that neither the template nor the data knows.
    pub unused: Vec<String>,
    /// In both, but of another shape: they begin where the template says.
    pub other_shape: Vec<String>,
}

impl WeightMatch {
    /// Returns what there is to say of it.
    pub fn sentences(&self) -> Vec<String> {
        let rest = [
            ("begin anew, for the model has none of that name", &self.missing),
            ("of the model are not used", &self.unused),
            ("have another shape in the model and begin anew", &self.other_shape),
        ];
        let rest = rest.iter().filter(|(_, names)| !names.is_empty());
        let first = format!("{} weights come from the model", self.matched.len());
        std::iter::once(first)
            .chain(rest.map(|(what, names)| format!("{} {what}: {}", names.len(), listed(names, 8))))
            .collect()
    }
}

impl Model {
    /// Returns the weights that can be learned, each at each index, with their numbers among the `values` of all
    /// parameters.
    pub fn weights_of<R: Real>(
        template: &Template,
        vocabulary: &Vocabulary,
        parameters: &Parameters,
        values: &[R],
    ) -> WeightList {
        let names = weight_names(template);
        let weight = |((id, index), range): (&WeightKey, std::ops::Range<usize>)| {
            let declared = template.weight(*id);
            let numbers = values.get(range)?.iter().map(|number| number.to_f64()).collect();
            let (name, index) =
                (names[id.index()].clone(), template.weight(*id).index_text(vocabulary, index));
            (!declared.fixed).then_some(ModelWeight { name, index, shape: declared.shape, numbers })
        };
        parameters.iter().filter_map(weight).collect()
    }

    /// Returns the weights of a template, whose shapes are settled, as of each member of the model, the best first; what
    /// was never learned is 0, or what the template says.
    pub fn member_weights(&self, template: &Template, vocabulary: &Vocabulary) -> Vec<Weights> {
        let none = Parameters::new(template);
        let of = |list: &WeightList| {
            let mut weights = Weights::starting(0, Initialisation::Constant, 0.0);
            apply(list, template, vocabulary, &none, &mut weights);
            weights
        };
        std::iter::once(&self.weights).chain(&self.members).map(of).collect()
    }

    /// Returns, by the number of a weight of the model, where it lies among parameters, if it is there.
    pub fn places(
        &self,
        template: &Template,
        vocabulary: &Vocabulary,
        parameters: &Parameters,
    ) -> Vec<Option<u32>> {
        keyed(&self.weights, template, vocabulary).map(|(_, key)| parameters.find(&key?)).collect()
    }

    /// Sets the weights of a template, whose shapes are settled, to those of the model with the same name, index and
    /// shape; of an ensemble, to those of its best member. Every index whose constants the vocabulary knows is set, whether `parameters` has it or not; what
    /// `parameters` has and the model has not is told as missing.
    pub fn apply(
        &self,
        template: &Template,
        vocabulary: &Vocabulary,
        parameters: &Parameters,
        weights: &mut Weights,
    ) -> WeightMatch {
        apply(&self.weights, template, vocabulary, parameters, weights)
    }
}

fn apply(
    list: &WeightList,
    template: &Template,
    vocabulary: &Vocabulary,
    parameters: &Parameters,
    weights: &mut Weights,
) -> WeightMatch {
    let mut found = WeightMatch::default();
    let mut set = BTreeSet::new();
    for (weight, key) in keyed(list, template, vocabulary) {
        let Some(key) = key else {
            found.unused.push(weight.full_name());
            continue;
        };
        if template.weight(key.0).shape == weight.shape && weight.numbers.len() == weight.shape.size() {
            found.matched.push(weight.full_name());
            weights.set(key.0, &key.1, weight.numbers);
        } else {
            found.other_shape.push(weight.full_name());
        }
        set.insert(key);
    }
    let missing = parameters.iter().filter(|(key, _)| !template.weight(key.0).fixed && !set.contains(*key));
    let names = weight_names(template);
    let name = |(key, _): (&WeightKey, _)| key_name(&names, template, vocabulary, key);
    found.missing = missing.map(name).collect();
    found
}

#[cfg(test)]
thread_local! {
    /// Number of weights of models that this thread has looked up by their names.
    pub(crate) static LOOKUPS: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// Returns the weights of a list, each with the weight of the template that it is, if it can be learned there and its index
/// is known.
fn keyed(
    list: &WeightList,
    template: &Template,
    vocabulary: &Vocabulary,
) -> impl Iterator<Item = (ModelWeight, Option<WeightKey>)> {
    let ids: BTreeMap<String, WeightId> =
        weight_names(template).into_iter().zip((0..).map(WeightId)).collect();
    let key = move |weight: &ModelWeight| {
        let id = *ids.get(&weight.name)?;
        #[cfg(test)]
        LOOKUPS.set(LOOKUPS.get() + 1);
        let declared = template.weight(id);
        let index = index_words(declared, vocabulary, &weight.index)?;
        (!declared.fixed).then_some((id, index))
    };
    list.iter().map(move |weight| {
        let key = key(&weight);
        (weight, key)
    })
}
