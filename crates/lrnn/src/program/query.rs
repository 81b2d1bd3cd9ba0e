//! Atoms of the least Herbrand model with their values: all of them, or those that match atoms with variables.

use serde::Serialize;

use super::predictor::outputs;
use super::{Cycles, Program};
use crate::data::{Dataset, Query, TermPattern, Value};
use crate::diagnostic::{Error, ErrorKind, SourceId, Sources, did_you_mean};
use crate::function::Real;
use crate::ground::{Grounding, GroundingInRuns, RuleReport, Scope, fold_groundings};
use crate::network::{
    BuildOptions, Network, NetworkError, Networks, NeuronCounts, Reference, Weights, Workspace,
};
use crate::syntax::ast::TermKind;
use crate::syntax::{atom_text, parse_atom};
use crate::template::{Term, VariableId};
use crate::train::{Loss, Unentailed, least_wrong, mean_values};
use crate::vocabulary::{ConstantId, PredicateId, Vocabulary};

/// An atom with variables, such as `foal(X)`, and the atoms that match it.
#[derive(Clone, Debug)]
pub struct AtomPattern {
    /// The predicate.
    pub predicate: PredicateId,
    /// The text in the standard layout.
    pub text: String,
    terms: Vec<TermPattern>,
}

impl AtomPattern {
    /// Reads an atom; its predicate must be known.
    pub fn parse(text: &str, vocabulary: &Vocabulary) -> Result<Self, Error> {
        let atom = parse_atom(text, SourceId(0)).map_err(|diagnostic| {
            let mut sources = Sources::default();
            sources.add("the atom", text);
            Error::of(ErrorKind::Usage, vec![diagnostic], &sources)
        })?;
        let Some(predicate) = vocabulary.find_predicate(&atom.name, atom.terms.len()) else {
            let name = format!("{}/{}", atom.name, atom.terms.len());
            let known: Vec<String> =
                vocabulary.predicates().map(|(_, signature)| signature.to_string()).collect();
            let error =
                Error::new(ErrorKind::Usage, format!("neither the template nor the data knows `{name}`"));
            let file = format!("if it is the data: there is no file or folder `{text}` here");
            let near = did_you_mean(&name, known.iter().map(String::as_str));
            let help = near.or(atom.terms.is_empty().then_some(file));
            return Err(help.into_iter().fold(error, Error::help));
        };
        if atom.terms.iter().any(|term| matches!(term.kind, TermKind::Range(..))) {
            let message = format!("`{text}` has a range, which stands in facts of a template");
            return Err(
                Error::new(ErrorKind::Usage, message).help("write a variable, or an atom for each number")
            );
        }
        let term = |position: usize| match &atom.terms[position].kind {
            TermKind::Variable(name) if name == "_" => TermPattern::Any,
            TermKind::Variable(name) => {
                let first = atom.terms.iter().position(|term| term.is_variable(name));
                TermPattern::Variable(first.unwrap_or(position))
            }
            TermKind::Constant(constant) => TermPattern::Constant(vocabulary.find_constant(constant)),
            TermKind::Range(..) => TermPattern::Constant(None),
        };
        Ok(Self { predicate, terms: (0..atom.terms.len()).map(term).collect(), text: atom_text(&atom) })
    }

    /// Tells whether an atom of the predicate with these terms matches.
    pub fn matches(&self, row: &[ConstantId]) -> bool {
        TermPattern::all_match(&self.terms, row)
    }

    /// Tells whether it has no variables.
    pub fn is_ground(&self) -> bool {
        self.terms.iter().all(|pattern| matches!(pattern, TermPattern::Constant(_)))
    }
}

/// An atom with its value.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct AtomValue {
    /// The number of the example.
    pub example: usize,
    /// The atom.
    pub atom: String,
    /// Its value.
    pub value: Value,
}

/// The atoms of one example that were asked for.
#[derive(Clone, PartialEq, Debug)]
pub struct ExampleAtoms {
    /// Those of the model, with their values.
    pub atoms: Vec<AtomValue>,
    /// Ground atoms and queries of the data that are not in the model.
    pub outside: Vec<String>,
    /// The neurons of the whole network.
    pub neurons: NeuronCounts,
    /// The cycles of its network, if the fast network computed them.
    pub cycles: Option<Cycles>,
}

impl Program {
    /// Returns the values of the atoms of an example that match some pattern, or of all if there is none, the mean under the
    /// weights of all members; by the fast network, or neuron by neuron with the reference network.
    pub fn atoms<R: Real>(
        &self,
        dataset: &Dataset,
        (example, grounding): (usize, &Grounding),
        patterns: &[AtomPattern],
        members: &[Weights],
        by_reference: bool,
    ) -> Result<ExampleAtoms, Error> {
        let (asked, mut outside) = matching(dataset, grounding, patterns);
        let vocabulary = &dataset.vocabulary;
        let text = |query: &Query| vocabulary.atom_text(query.predicate, &query.terms);
        let is_outside =
            |query: &&Query| grounding.relations[query.predicate.index()].find(&query.terms).is_none();
        outside.extend(dataset.queries[example].iter().filter(is_outside).map(text));
        outside.sort();
        outside.dedup();
        let (mut all, mut cycles) = (Vec::new(), None);
        for weights in members {
            let request = AtomRequest { program: self, dataset, example, grounding, asked: &asked, weights };
            // What is not finite is found again neuron by neuron, to say where it began.
            let (values, swept) = match if by_reference { None } else { request.fast::<R>()? } {
                Some(found) => found,
                None => (request.by_reference::<R>()?, None),
            };
            all.push(values.into_iter().map(Some).collect());
            cycles = cycles.or(swept);
        }
        let values = mean_values(all).into_iter().flatten();
        let atom = |(query, numbers): (&Query, Vec<f64>)| {
            let value = Value { numbers, shape: self.shape(query.predicate) };
            AtomValue { example, atom: text(query), value }
        };
        let atoms = asked.iter().zip(values).map(atom).collect();
        Ok(ExampleAtoms { atoms, outside, neurons: NeuronCounts::of(grounding), cycles })
    }

    /// Returns one network of some examples together, equal neurons merged; none without an example.
    pub fn together(&self, dataset: &Dataset, examples: &[usize]) -> Result<Option<Network>, Error> {
        let networks = self.networks(dataset, BuildOptions::default(), &[examples.to_vec()])?;
        Ok(networks.networks.into_iter().next())
    }

    /// Grounds every example once: gives each grounding to `look`, in parallel, and returns what that sees beside one
    /// network of all examples together, equal neurons merged.
    pub fn look_together<T: Send>(
        &self,
        dataset: &Dataset,
        look: impl Fn(usize, &Grounding) -> T + Sync,
    ) -> Result<(Vec<T>, Network), Error> {
        // So many groundings are in memory at once.
        const WAVE: usize = 16;
        let (template, plans, limits) = (self.template(), self.plans(), self.limits());
        let (mut builder, mut all) = (self.builder(), Vec::new());
        let add = |made: &mut Option<(T, GroundingInRuns)>, example, mut grounding: GroundingInRuns| {
            let seen = grounding.written_out(|written| look(example, written));
            *made = Some((seen, grounding));
            None
        };
        let each: Vec<Vec<usize>> = (0..dataset.examples.len()).map(|example| vec![example]).collect();
        for wave in each.chunks(WAVE) {
            let made =
                fold_groundings(template, dataset, plans, limits, wave, true, || None, add, |made| made)
                    .map_err(|error| self.example_error(dataset, &error))?;
            for (&example, (seen, grounding)) in wave.iter().flatten().zip(made.into_iter().flatten()) {
                builder.add_runs(&dataset.examples[example], &grounding, &dataset.queries[example]);
                all.push(seen);
            }
        }
        Ok((all, builder.finish()))
    }

    /// Returns the fewest wrong answers that any weights give to the queries of some examples; none where the loss
    /// knows no classes.
    pub fn least_wrong(
        &self,
        dataset: &Dataset,
        examples: &[usize],
        loss: Loss,
        unentailed: Unentailed,
    ) -> Result<Option<u32>, Error> {
        let network = self.together(dataset, examples)?;
        Ok(network
            .and_then(|network| least_wrong(self.template(), dataset, &network, examples, loss, unentailed)))
    }
}

/// Atoms of one example whose values are wanted.
struct AtomRequest<'a> {
    program: &'a Program,
    dataset: &'a Dataset,
    example: usize,
    grounding: &'a Grounding,
    asked: &'a [Query],
    weights: &'a Weights,
}

/// The values of atoms, and the cycles of their network.
type AtomValues = (Vec<Vec<f64>>, Option<Cycles>);

impl AtomRequest<'_> {
    /// Computes by the fast network; `None` if something is not finite.
    fn fast<R: Real>(&self) -> Result<Option<AtomValues>, Error> {
        let (template, mut builder) = (self.program.template(), self.program.builder());
        builder.add(&self.dataset.examples[self.example], self.grounding, self.asked);
        let networks = Networks::bind(template, vec![builder.finish()]);
        let vocabulary = &self.dataset.vocabulary;
        let parameters = networks.parameters.values::<R>(template, vocabulary, self.weights);
        let mut space = Workspace::default();
        let unsettled = |atom| self.program.unsettled(self.dataset, &[self.example], |_| Scope::Whole, &atom);
        let (values, cycles) =
            outputs(self.program, &networks.networks[0], &parameters, &mut space).map_err(unsettled)?;
        if !space.is_finite() {
            return Ok(None);
        }
        let cycles = cycles.map(|counts| self.program.cycles(&counts, &networks.parameters, &parameters));
        Ok(values.into_iter().collect::<Option<_>>().map(|values| (values, cycles)))
    }

    /// Computes neuron by neuron.
    fn by_reference<R: Real>(&self) -> Result<Vec<Vec<f64>>, Error> {
        let Self { program, dataset, example, grounding, weights, .. } = *self;
        let (template, vocabulary) = (program.template(), &dataset.vocabulary);
        let named = |error: NetworkError| {
            Error::from(error).before(format!("example {}", dataset.example_name(example)))
        };
        let network =
            Reference::build(template, vocabulary, &dataset.examples[example], grounding).map_err(named)?;
        let values = network.evaluate::<R>(template, vocabulary, weights).map_err(|error| {
            program.first_not_finite::<R>(dataset, example, weights).unwrap_or_else(|| named(error))
        })?;
        let value = |query: &Query| {
            let row = grounding.relations[query.predicate.index()].find(&query.terms);
            let value = row.and_then(|row| network.value_of(&values, query.predicate, row));
            value.map_or_else(Vec::new, |(numbers, _)| numbers.iter().map(|x| x.to_f64()).collect())
        };
        Ok(self.asked.iter().map(value).collect())
    }
}

/// The join plan of a rule, with expected sizes.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct RuleJoin {
    /// The number of the rule, from 0.
    pub rule: u32,
    /// The file it stands in.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// The predicate of its head.
    #[serde(skip)]
    pub head: String,
    /// The literals in the order of the join, bound terms with `+`; then the variables that range over all constants.
    pub join: Vec<String>,
    /// The ground rules expected in one example.
    pub expected_per_example: f64,
    /// The ground rules expected in all examples.
    pub expected: f64,
    /// The memory that these would take all together.
    pub bytes: f64,
}

impl Program {
    /// Returns how each rule is joined, and what to expect of it.
    pub fn joins(&self) -> Vec<RuleJoin> {
        let view = |report: &RuleReport| {
            let (line, _) = self.sources().line_column(report.span.source, report.span.start);
            let head = self.template().rule(report.rule).head.predicate;
            RuleJoin {
                rule: report.rule.0,
                file: self.sources().name(report.span.source).to_owned(),
                line,
                head: self.vocabulary().signature(head).to_string(),
                join: self.join_texts(report),
                expected_per_example: report.per_example,
                expected: report.total,
                bytes: report.bytes,
            }
        };
        self.plans().reports().iter().map(view).collect()
    }

    fn join_texts(&self, report: &RuleReport) -> Vec<String> {
        let rule = self.template().rule(report.rule);
        let atoms: Vec<_> = rule.positive().collect();
        let literal = |(&literal, bound): (&usize, &Vec<usize>)| {
            let term = |(column, term): (usize, &Term)| match term {
                Term::Variable(variable) => {
                    let mark = if bound.contains(&column) { "+" } else { "-" };
                    format!("{mark}{}", rule.variables[variable.index()])
                }
                Term::Constant(constant) => self.vocabulary().constant(*constant).to_string(),
            };
            let terms: Vec<String> = atoms[literal].terms.iter().enumerate().map(term).collect();
            let name = &self.vocabulary().signature(atoms[literal].predicate).name;
            if terms.is_empty() { name.to_string() } else { format!("{name}({})", terms.join(", ")) }
        };
        let all = |variable: &VariableId| format!("all constants as {}", rule.variables[variable.index()]);
        let literals = report.order.iter().zip(&report.bound).map(literal);
        literals.chain(report.free.iter().map(all)).collect()
    }

    /// Returns the ground facts and rules of a grounding, each as a clause.
    pub fn clauses(&self, vocabulary: &Vocabulary, grounding: &Grounding) -> Vec<String> {
        let mut all: Vec<String> =
            grounding.fact_texts(vocabulary).into_iter().map(|(fact, _)| format!("{fact}.")).collect();
        for rule in self.template().rule_ids() {
            let text =
                |ground| format!("{}.", grounding.rule_text(self.template(), vocabulary, rule, ground));
            all.extend((0..grounding.rules[rule.index()].len()).map(text));
        }
        all
    }
}

/// Returns the atoms of the model that match a pattern, or all; and ground patterns that match none.
pub(super) fn matching(
    dataset: &Dataset,
    grounding: &Grounding,
    patterns: &[AtomPattern],
) -> (Vec<Query>, Vec<String>) {
    let mut asked = Vec::new();
    let mut has_matched = vec![false; patterns.len()];
    for (predicate, signature) in dataset.vocabulary.predicates() {
        // What begins with `@` is the template's own, behind functions and values of terms.
        let is_own = signature.name.starts_with('@');
        let Some(relation) = grounding.relations.get(predicate.index()) else { continue };
        for terms in relation.rows() {
            let mut is_asked = patterns.is_empty() && !is_own;
            for (pattern, has_matched) in patterns.iter().zip(&mut has_matched) {
                let is_it = pattern.predicate == predicate && pattern.matches(terms);
                is_asked |= is_it;
                *has_matched |= is_it;
            }
            if is_asked {
                asked.push(Query::new(predicate, terms.to_vec()));
            }
        }
    }
    let missed =
        patterns.iter().zip(has_matched).filter(|(pattern, matched)| pattern.is_ground() && !matched);
    (asked, missed.map(|(pattern, _)| pattern.text.clone()).collect())
}

/// Returns a sentence about the fewest wrong answers of any weights.
pub fn least_wrong_sentence(least: Option<u32>, answers: u32) -> String {
    match least {
        None => "what any weights leave wrong is not known: this loss has no classes".to_owned(),
        Some(0) => "the template can tell all answers apart that should differ".to_owned(),
        Some(least) => format!(
            "no weights answer fewer than {least} of {answers} wrong: the template cannot tell these examples apart"
        ),
    }
}
