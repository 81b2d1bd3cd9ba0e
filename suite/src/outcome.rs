//! What an engine makes of one example, in the words of the file.

use std::collections::BTreeMap;

use lrnn::function::{Shape, View};
use lrnn::ground::Grounding;
use lrnn::network::NeuronCounts;
use lrnn::template::Template;
use lrnn::vocabulary::{ConstantId, PredicateId, Vocabulary, write_name};

/// The result of an engine for one example.
#[derive(Default)]
pub struct EngineOutcome {
    /// The values of atoms: of all, or of those that were asked for.
    pub values: BTreeMap<String, (Vec<f64>, Shape)>,
    /// The model and what is ground in it, from an engine that shows it.
    pub model: Option<HerbrandModel>,
    /// The number of neurons, from an engine that has them all.
    pub neurons: Option<NeuronCounts>,
}

/// The least Herbrand model and the active ground clauses, sorted.
#[derive(PartialEq, Debug)]
pub struct HerbrandModel {
    /// The atoms.
    pub atoms: Vec<String>,
    /// The ground facts.
    pub facts: Vec<String>,
    /// The ground rules.
    pub rules: Vec<String>,
}

/// A reason why an engine gave up.
#[derive(PartialEq, Debug)]
pub struct EngineStop {
    /// The code of the message, the same for every engine.
    pub code: &'static str,
    /// The message.
    pub message: String,
}

/// The names under which constants are shown: a variation may have renamed them.
#[derive(Clone, Default)]
pub struct ConstantNames {
    /// The name in the file of each renamed constant.
    pub back: BTreeMap<String, String>,
}

impl ConstantNames {
    /// Returns a ground atom, its constants as the file names them.
    pub fn atom(&self, vocabulary: &Vocabulary, predicate: PredicateId, terms: &[ConstantId]) -> String {
        let term = |&term: &ConstantId| {
            let text = vocabulary.constant(term).to_string();
            self.back.get(&text).cloned().unwrap_or(text)
        };
        let mut name = String::new();
        let _ = write_name(&mut name, &vocabulary.signature(predicate).name);
        let terms: Vec<String> = terms.iter().map(term).collect();
        if terms.is_empty() { name } else { format!("{name}({})", terms.join(", ")) }
    }
}

impl EngineOutcome {
    /// Adds the value of an atom.
    pub fn value<R: lrnn::function::Real>(&mut self, atom: String, (numbers, shape): View<'_, R>) {
        let numbers = numbers.iter().map(|number| number.to_f64()).collect();
        self.values.insert(atom, (numbers, shape));
    }
}

impl HerbrandModel {
    /// Returns what a grounding says, as text.
    pub fn of(
        template: &Template,
        vocabulary: &Vocabulary,
        grounding: &Grounding,
        names: &ConstantNames,
    ) -> Self {
        let atom = |predicate: PredicateId, row: u32| {
            names.atom(vocabulary, predicate, grounding.relations[predicate.index()].row(row))
        };
        let (mut atoms, mut facts) = (Vec::new(), Vec::new());
        for (id, _) in vocabulary.predicates() {
            atoms.extend((0..grounding.relations[id.index()].len() as u32).map(|row| atom(id, row)));
            facts.extend(grounding.facts[id.index()].iter().map(|&(row, _)| atom(id, row)));
        }
        let mut rules = Vec::new();
        for (rule, ground) in template.rules.iter().zip(&grounding.rules) {
            let mark = |position: usize| match rule.inputs.get(position) {
                Some(input) if input.negated => "~",
                Some(_) => "",
                None => "*",
            };
            for (number, &head) in ground.heads.iter().enumerate() {
                let columns = rule.positive().zip(&ground.body).enumerate();
                let literal = |(position, (literal, rows)): (usize, (&lrnn::template::Atom, &Vec<u32>))| {
                    format!("{}{}", mark(position), atom(literal.predicate, rows[number]))
                };
                let body: Vec<String> = columns.map(literal).collect();
                let head = atom(rule.head.predicate, head);
                let stop = if body.is_empty() { "" } else { " :- " };
                rules.push(format!("{head}{stop}{}", body.join(", ")));
            }
        }
        atoms.sort_unstable();
        facts.sort_unstable();
        rules.sort_unstable();
        Self { atoms, facts, rules }
    }
}
