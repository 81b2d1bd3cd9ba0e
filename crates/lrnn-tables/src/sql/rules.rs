//! Rules, weights and predicates as common table expressions.

use std::collections::{BTreeMap, BTreeSet};

use lrnn::function::{Aggregation, Combiner};
use lrnn::template::{Atom, Condition, Offset, Rule, Term, VariableId, WeightUse};
use lrnn::vocabulary::{ConstantId, PredicateId};
use lrnn::{Error, Model};

use super::dialect::{double, number, text};
use super::facts::EXAMPLES;
use super::{SqlWriter, quoted, refused};

/// Terms of predicates that are numbers, where the mapping or the template tells.
#[derive(Debug, Default)]
pub(super) struct PositionKinds(BTreeMap<(PredicateId, usize), bool>);

/// A table of a join.
struct JoinedTable {
    /// The table with its alias.
    table: String,
    /// Conditions that its rows must fulfil.
    tests: Vec<String>,
    /// True where a row without a partner stays.
    is_optional: bool,
}

/// The tables that a body joins, with the expression of each variable.
#[derive(Default)]
struct Join {
    tables: Vec<JoinedTable>,
    /// By variable.
    terms: BTreeMap<VariableId, String>,
    /// The example, once a table has one.
    example: String,
    /// Conditions that are tested behind all joins.
    conditions: Vec<String>,
}

impl Join {
    fn add(&mut self, table: String, tests: Vec<String>) {
        self.tables.push(JoinedTable { table, tests, is_optional: false });
    }

    fn text(&self) -> String {
        let mut all = String::new();
        for (at, JoinedTable { table, tests, is_optional }) in self.tables.iter().enumerate() {
            all += &match (at, tests.is_empty(), is_optional) {
                (0, ..) => table.clone(),
                (_, true, _) => format!(" CROSS JOIN {table}"),
                (_, _, true) => format!(" LEFT JOIN {table} ON {}", tests.join(" AND ")),
                (_, _, false) => format!(" JOIN {table} ON {}", tests.join(" AND ")),
            };
        }
        let first = self.tables.first().map(|table| &table.tests[..]).unwrap_or_default();
        let tests: Vec<&str> = first.iter().chain(&self.conditions).map(String::as_str).collect();
        if tests.is_empty() { all } else { format!("{all} WHERE {}", tests.join(" AND ")) }
    }
}

impl SqlWriter<'_> {
    /// Writes every expression that the query needs, in the order of computation.
    pub(super) fn all(&mut self, model: &Model) -> Result<(), Error> {
        self.check()?;
        self.needs_examples =
            self.template.strata.iter().flat_map(|stratum| &stratum.predicates).any(|it| {
                self.needed.contains(it) && !self.is_global(model, *it) && self.has_template_facts(*it)
            }) || self.rules().any(|rule| rule.positive().all(|atom| self.is_global(model, atom.predicate)));
        self.learn_kinds()?;
        self.examples()?;
        self.keyed_tables();
        self.weight_tables()?;
        let order: Vec<PredicateId> =
            self.template.strata.iter().flat_map(|stratum| stratum.predicates.clone()).collect();
        let others = self.needed.iter().filter(|it| !order.contains(it)).copied();
        let order: Vec<PredicateId> = others.chain(order.iter().copied()).collect();
        for predicate in order {
            if self.needed.contains(&predicate) {
                self.predicate(model, predicate)?;
            }
        }
        Ok(())
    }

    fn rules(&self) -> impl Iterator<Item = &Rule> {
        self.template.rules.iter().filter(|rule| self.needed.contains(&rule.head.predicate))
    }

    fn has_template_facts(&self, predicate: PredicateId) -> bool {
        self.template.facts.iter().any(|fact| fact.atom.predicate == predicate)
    }

    /// Tells whether a predicate is the same in every example: only facts of the template give it.
    fn is_global(&self, model: &Model, predicate: PredicateId) -> bool {
        self.has_template_facts(predicate)
            && !self.template.rules.iter().any(|rule| rule.head.predicate == predicate)
            && !self.is_data(model, predicate)
    }

    /// Tells whether the data may have facts of a predicate.
    pub(super) fn is_data(&self, model: &Model, predicate: PredicateId) -> bool {
        let signature = self.vocabulary.signature(predicate);
        let is_it = |name: &str, arity: usize| name == &*signature.name && arity == signature.arity as usize;
        if let Some(mapping) = self.mapping {
            return mapping
                .relations()
                .any(|line| !line.is_query && is_it(&line.predicate, line.terms.len()));
        }
        let is_given = self.has_template_facts(predicate)
            || self.template.rules.iter().any(|rule| rule.head.predicate == predicate);
        let learned_from = model.relations.iter();
        !is_given || learned_from.filter(|it| it.shape.is_some()).any(|it| is_it(&it.name, it.distinct.len()))
    }

    /// Refuses what SQL does not say.
    fn check(&self) -> Result<(), Error> {
        for stratum in self.template.strata.iter().filter(|stratum| stratum.recursive) {
            if let Some(own) = stratum.predicates.iter().find(|it| self.needed.contains(it)) {
                let what = format!("`{}` depends on itself", self.signature(*own));
                return Err(refused(what, "SQL is written for templates without recursion"));
            }
        }
        for &predicate in &self.needed {
            let shape = self.template.predicates.get(predicate.index()).and_then(|known| known.shape);
            if let Some(shape) = shape.filter(|shape| !shape.is_number()) {
                let what =
                    format!("the values of `{}` are no numbers but {shape}", self.signature(predicate));
                return Err(refused(what, "SQL is written for templates without vectors"));
            }
        }
        for rule in self.rules() {
            let head = self.signature(rule.head.predicate);
            if !rule.unbound.is_empty() {
                let what = format!("a variable of the head `{head}` stands for every constant there is");
                return Err(refused(what, "bind it in the body of the rule: SQL knows rows, not constants"));
            }
            if rule.bound_index().len() < rule.index.len() {
                let what = format!("a rule for `{head}` has kinds or numbers in the index of a weight");
                return Err(refused(what, "SQL is written for weights that constants index"));
            }
        }
        let facts = self.template.facts.iter().filter(|fact| self.needed.contains(&fact.atom.predicate));
        for fact in facts {
            if fact.atom.variables().next().is_some() {
                let what =
                    format!("a fact of `{}` holds for every constant", self.signature(fact.atom.predicate));
                return Err(refused(what, "SQL is written for facts of the template without variables"));
            }
        }
        Ok(())
    }

    /// Learns which terms are numbers, from the mapping and the facts and rules of the template; refuses a template
    /// in which a number meets a name, for SQL compares their texts.
    fn learn_kinds(&mut self) -> Result<(), Error> {
        let mut kinds = BTreeMap::new();
        for line in self.mapping.into_iter().flat_map(|mapping| mapping.relations()) {
            if let (false, Some(predicate)) =
                (line.is_query, self.vocabulary.find_predicate(&line.predicate, line.terms.len()))
            {
                for at in 0..line.terms.len() {
                    let is_number = self.is_number_term(line, at);
                    self.learn_kind(&mut kinds, predicate, at, is_number)?;
                }
            }
        }
        if self.mapping.is_some() {
            loop {
                let before = kinds.len();
                for fact in &self.template.facts {
                    for (at, term) in fact.atom.terms.iter().enumerate() {
                        if let Term::Constant(constant) = term {
                            self.learn_kind(&mut kinds, fact.atom.predicate, at, self.is_number(*constant))?;
                        }
                    }
                }
                for rule in self.rules() {
                    self.learn_kinds_of(rule, &mut kinds)?;
                }
                if kinds.len() == before {
                    break;
                }
            }
        }
        self.kinds = PositionKinds(kinds);
        Ok(())
    }

    fn is_number(&self, constant: ConstantId) -> bool {
        !matches!(self.vocabulary.constant(constant), lrnn::vocabulary::Constant::Name(_))
    }

    fn learn_kind(
        &self,
        kinds: &mut BTreeMap<(PredicateId, usize), bool>,
        predicate: PredicateId,
        at: usize,
        is_number: bool,
    ) -> Result<(), Error> {
        match kinds.insert((predicate, at), is_number) {
            Some(other) if other != is_number => {
                let what = format!(
                    "term {} of `{}` is a number here and a name there",
                    at + 1,
                    self.signature(predicate)
                );
                Err(refused(
                    what,
                    "SQL compares their texts: `:- type(table.column, text).` makes names of numbers",
                ))
            }
            _ => Ok(()),
        }
    }

    fn learn_kinds_of(
        &self,
        rule: &Rule,
        kinds: &mut BTreeMap<(PredicateId, usize), bool>,
    ) -> Result<(), Error> {
        let mut variables: BTreeMap<VariableId, bool> = BTreeMap::new();
        for atom in rule.positive() {
            for (at, term) in atom.terms.iter().enumerate() {
                let (Term::Variable(variable), Some(&kind)) = (term, kinds.get(&(atom.predicate, at))) else {
                    continue;
                };
                if variables.insert(*variable, kind).is_some_and(|other| other != kind) {
                    let name = &rule.variables[variable.index()];
                    let head = self.signature(rule.head.predicate);
                    let what = format!(
                        "`{name}` in a rule for `{head}` is a number in one literal and a name in another"
                    );
                    let help =
                        "SQL compares their texts: `:- type(table.column, text).` makes names of numbers";
                    return Err(refused(what, help));
                }
            }
        }
        for (at, term) in rule.head.terms.iter().enumerate() {
            let kind = match term {
                Term::Variable(variable) => variables.get(variable).copied(),
                Term::Constant(constant) => Some(self.is_number(*constant)),
            };
            if let Some(kind) = kind {
                self.learn_kind(kinds, rule.head.predicate, at, kind)?;
            }
        }
        Ok(())
    }

    /// Writes indexed weights as tables.
    fn weight_tables(&mut self) -> Result<(), Error> {
        let uses: Vec<WeightUse> = self
            .rules()
            .flat_map(|rule| rule.weight.iter().chain(rule.inputs.iter().filter_map(|it| it.weight.as_ref())))
            .cloned()
            .collect();
        for WeightUse { weight, index } in uses {
            let name = self.weight_table(weight);
            if index.is_empty() || self.relations.iter().any(|(known, ..)| *known == name) {
                continue;
            }
            self.default_of(weight)?;
            let mut rows = Vec::new();
            let mut seen: BTreeMap<Vec<String>, bool> = BTreeMap::new();
            for (_, constants) in self.weights.keys().filter(|(id, _)| *id == weight) {
                let texts: Vec<String> = constants.iter().map(|&it| self.constant(it)).collect();
                if seen.insert(texts.clone(), true).is_some() {
                    let what = format!("{name} has one index as a number and as a name");
                    return Err(refused(what, "SQL compares their texts, and cannot tell them apart"));
                }
                let value = self.weights.value(self.template, self.vocabulary, weight, constants)[0];
                rows.push(format!("({}, {})", texts.join(", "), double(&number(value))));
            }
            let columns: Vec<String> = (1..=index.len()).map(|at| format!("i{at}")).collect();
            match rows.is_empty() {
                false => {
                    let body = format!("VALUES\n        {}", rows.join(",\n        "));
                    self.define(name, &format!("({}, value)", columns.join(", ")), body);
                }
                true => {
                    let empty: Vec<String> =
                        columns.iter().map(|name| format!("CAST(NULL AS TEXT) AS {name}")).collect();
                    let body = format!("SELECT {}, {} AS value WHERE 1 = 0", empty.join(", "), double("0"));
                    self.define(name, "", body);
                }
            }
        }
        Ok(())
    }

    fn weight_table(&self, weight: lrnn::template::WeightId) -> String {
        let name = self.template.weight(weight).name.as_deref().unwrap_or("");
        match name.is_empty() || name.len() > super::LONGEST_NAME {
            true => quoted(&format!("weight {}", weight.0)),
            false => quoted(&format!("weight {} {name}", weight.0)),
        }
    }

    pub(super) fn constant(&self, constant: ConstantId) -> String {
        match self.vocabulary.constant(constant) {
            lrnn::vocabulary::Constant::Name(name) => text(&name),
            other => text(&other.to_string()),
        }
    }

    fn offset(&self, offset: &Offset) -> Result<f64, Error> {
        match offset {
            Offset::Fixed(number) => Ok(*number),
            Offset::Weight(weight) => self.plain(*weight),
        }
    }

    /// Writes a predicate with its rules.
    fn predicate(&mut self, model: &Model, predicate: PredicateId) -> Result<(), Error> {
        let is_global = self.is_global(model, predicate);
        let terms: Vec<String> = (1..=self.arity(predicate)).map(|at| format!("a{at}")).collect();
        let mut columns = terms.clone();
        if !is_global {
            columns.insert(0, "example".to_owned());
        }
        let mut parts = Vec::new();
        for (at, rule) in self.template.rules.iter().enumerate() {
            if rule.head.predicate == predicate {
                parts.push(self.rule(model, rule, at)?);
            }
        }
        let facts = self.facts(model, predicate, &columns)?;
        let has_rules = !parts.is_empty();
        parts.extend(facts);
        let declared =
            self.template.predicates.get(predicate.index()).unwrap_or(&self.template.default_predicate);
        let offset = self.offset(&declared.offset)?;
        let combined = match &declared.combination {
            Combiner::All(combination) if declared.value.is_none() => self.dialect.grouped(*combination),
            _ => None,
        };
        let Some(combined) = combined else {
            let what =
                format!("the values of `{}` are vectors, or computed from others", self.signature(predicate));
            return Err(refused(what, "SQL is written for templates of numbers and plain combinations"));
        };
        let function = self.dialect.activation(declared.activation);
        let as_values = self.template.family.facts_enter_as_values;
        let value = match (as_values, has_rules) {
            (true, false) => "facts".to_owned(),
            (true, true) => format!("CASE WHEN is_ruled = 0 THEN facts ELSE {function} END"),
            (false, _) => function,
        };
        let list = |more: &[String]| {
            columns.iter().cloned().chain(more.iter().cloned()).collect::<Vec<_>>().join(", ")
        };
        let group =
            if columns.is_empty() { String::new() } else { format!(" GROUP BY {}", columns.join(", ")) };
        let inner = list(&[
            format!("{combined} + {} AS x", number(offset)),
            "MAX(is_rule) AS is_ruled".to_owned(),
            "SUM(y) AS facts".to_owned(),
        ]);
        let body = format!(
            "SELECT {} FROM (\n        SELECT {inner} FROM (\n        {}) AS c{group}) AS s",
            list(&[format!("{value} AS value")]),
            parts.join("\n        UNION ALL ")
        );
        self.define(self.relation(predicate), "", body);
        Ok(())
    }

    /// Writes the values that a rule gives to the atoms of its head, with its weight.
    fn rule(&self, model: &Model, rule: &Rule, at: usize) -> Result<String, Error> {
        let mut join = self.join(model, rule)?;
        let mut inputs = Vec::new();
        for (at, input) in rule.inputs.iter().enumerate() {
            let value = format!("b{}.value", at + 1);
            let value = if input.negated { format!("(1 - {value})") } else { value };
            inputs.push(match &input.weight {
                None => value,
                Some(weight) => {
                    let weight = self.weight_in(weight, &mut join, &format!("w{}", at + 1))?;
                    format!("{weight} * {value}")
                }
            });
        }
        let functions = &rule.functions;
        let computed = |it: &Condition| {
            matches!(it, Condition::Arithmetic(..) | Condition::MostDifferent(_) | Condition::Among(_))
        };
        let combined = match &functions.combination {
            Combiner::All(combination) if !rule.distinct && !rule.conditions.iter().any(computed) => {
                self.dialect.combination(*combination, &inputs)
            }
            _ => None,
        };
        let Some(mut sum) = combined else {
            let what = format!("rule {} makes a vector, computes, or counts equal ground rules once", at + 1);
            return Err(refused(what, "SQL is written for templates of numbers and plain combinations"));
        };
        let mut offset = self.offset(&functions.offset)?;
        if functions.minus_inputs && functions.combination.is_sum() {
            offset -= inputs.len() as f64;
        }
        sum = double(&format!("{sum} + {}", number(offset)));
        let mut columns = vec![("example".to_owned(), join.example.clone())];
        for (at, term) in rule.head.terms.iter().enumerate() {
            columns.push((format!("a{}", at + 1), self.term(*term, &join.terms)));
        }
        for (at, variable) in rule.index.iter().enumerate() {
            columns.push((format!("v{}", at + 1), self.term(Term::Variable(*variable), &join.terms)));
        }
        let names: Vec<&str> = columns.iter().map(|(name, _)| name.as_str()).collect();
        let names = names.join(", ");
        let selected: Vec<String> = columns.iter().map(|(name, it)| format!("{it} AS {name}")).collect();
        let neurons = format!("SELECT {}, {sum} AS x\n        FROM {}", selected.join(", "), join.text());
        let function = self.dialect.activation(functions.activation);
        let mut rows = format!("SELECT {names}, {function} AS y FROM ({neurons}) AS n");
        if functions.aggregation == Aggregation::Softmax {
            rows = format!("SELECT {names}, y, MAX(y) OVER (PARTITION BY {names}) AS top FROM ({rows}) AS m");
        }
        let aggregated = self.dialect.aggregation(functions.aggregation);
        let groups = format!("SELECT {names}, {aggregated} AS y FROM ({rows}) AS r GROUP BY {names}");
        self.weighed(rule, &groups)
    }

    /// Multiplies the groups of a rule by its weight.
    fn weighed(&self, rule: &Rule, groups: &str) -> Result<String, Error> {
        let heads: Vec<String> = (1..=rule.head.terms.len()).map(|at| format!("g.a{at}")).collect();
        let head = std::iter::once("g.example".to_owned()).chain(heads).collect::<Vec<_>>().join(", ");
        let variables: BTreeMap<VariableId, String> =
            rule.index.iter().zip(1..).map(|(variable, at)| (*variable, format!("g.v{at}"))).collect();
        let mut join = Join { terms: variables, ..Join::default() };
        join.add(format!("({groups}) AS g"), Vec::new());
        let value = match &rule.weight {
            None => "g.y".to_owned(),
            Some(weight) => format!("{} * g.y", self.weight_in(weight, &mut join, "w")?),
        };
        Ok(format!("SELECT {head}, {value} AS y, 1 AS is_rule FROM {}", join.text()))
    }

    /// Returns a weight as an expression; an indexed one joins its table.
    fn weight_in(&self, weight: &WeightUse, join: &mut Join, alias: &str) -> Result<String, Error> {
        if weight.index.is_empty() {
            return Ok(number(self.plain(weight.weight)?));
        }
        let terms = weight.index.iter().zip(1..);
        let same: Vec<String> =
            terms.map(|(term, at)| format!("{alias}.i{at} = {}", self.term(*term, &join.terms))).collect();
        let name = self.weight_table(weight.weight);
        join.tables.push(JoinedTable { table: format!("{name} AS {alias}"), tests: same, is_optional: true });
        Ok(format!("COALESCE({alias}.value, {})", number(self.default_of(weight.weight)?)))
    }

    fn term(&self, term: Term, variables: &BTreeMap<VariableId, String>) -> String {
        match term {
            Term::Constant(constant) => self.constant(constant),
            Term::Variable(variable) => {
                variables.get(&variable).cloned().unwrap_or_else(|| "NULL".to_owned())
            }
        }
    }

    /// Joins the literals of a body.
    fn join(&self, model: &Model, rule: &Rule) -> Result<Join, Error> {
        let mut join = Join::default();
        for (at, atom) in ordered(rule) {
            let alias = format!("b{}", at + 1);
            let mut tests = Vec::new();
            if !self.is_global(model, atom.predicate) {
                match join.example.is_empty() {
                    true => join.example = format!("{alias}.example"),
                    false => tests.push(format!("{alias}.example = {}", join.example)),
                }
            }
            for (place, term) in atom.terms.iter().enumerate() {
                let column = format!("{alias}.a{}", place + 1);
                match term {
                    Term::Constant(constant) => {
                        tests.push(format!("{column} = {}", self.constant(*constant)));
                    }
                    Term::Variable(variable) => match join.terms.get(variable) {
                        Some(known) => tests.push(format!("{column} = {known}")),
                        None => {
                            join.terms.insert(*variable, column);
                        }
                    },
                }
            }
            join.add(format!("{} AS {alias}", self.relation(atom.predicate)), tests);
        }
        if join.example.is_empty() {
            join.example = "e.example".to_owned();
            join.add(format!("{EXAMPLES} AS e"), Vec::new());
        }
        for condition in &rule.conditions {
            let test = self.condition(model, rule, condition, &join);
            join.conditions.push(test);
        }
        Ok(join)
    }

    fn condition(&self, model: &Model, rule: &Rule, condition: &Condition, join: &Join) -> String {
        match condition {
            Condition::Compare(comparison, left, right) => {
                let (a, b) = (self.term(*left, &join.terms), self.term(*right, &join.terms));
                match (self.kind_in(rule, *left), self.kind_in(rule, *right)) {
                    (Some(false), Some(false)) => self.dialect.compare_texts(*comparison, &a, &b),
                    _ => self.dialect.compare_terms(*comparison, &a, &b),
                }
            }
            Condition::Absent(predicate, terms) => {
                let mut tests = Vec::new();
                if !self.is_global(model, *predicate) {
                    tests.push(format!("n.example = {}", join.example));
                }
                for (at, term) in terms.iter().enumerate() {
                    if let Some(term) = term {
                        tests.push(format!("n.a{} = {}", at + 1, self.term(*term, &join.terms)));
                    }
                }
                let tests = if tests.is_empty() { "1 = 1".to_owned() } else { tests.join(" AND ") };
                format!("NOT EXISTS (SELECT 1 FROM {} AS n WHERE {tests})", self.relation(*predicate))
            }
            // Refused with its rule.
            Condition::Arithmetic(..) | Condition::MostDifferent(_) | Condition::Among(_) => {
                "1 = 1".to_owned()
            }
        }
    }

    /// Tells whether a term of a rule is a number, where that is known.
    fn kind_in(&self, rule: &Rule, term: Term) -> Option<bool> {
        let variable = match term {
            Term::Constant(constant) => return self.mapping.map(|_| self.is_number(constant)),
            Term::Variable(variable) => variable,
        };
        rule.positive().find_map(|atom| {
            let at = atom.terms.iter().position(|it| *it == Term::Variable(variable))?;
            self.kinds.0.get(&(atom.predicate, at)).copied()
        })
    }
}

/// Returns the literals of a body with their places, each as soon as it shares most terms with those before: systems
/// know nothing of the sizes, and some join in the order of the text.
fn ordered(rule: &Rule) -> Vec<(usize, &Atom)> {
    let mut open: Vec<(usize, &Atom)> = rule.positive().enumerate().collect();
    let mut bound: BTreeSet<VariableId> = BTreeSet::new();
    let mut all = Vec::new();
    while !open.is_empty() {
        let shared = |(_, atom): &(usize, &Atom)| {
            let is_bound = |term: &&Term| match term {
                Term::Constant(_) => true,
                Term::Variable(variable) => bound.contains(variable),
            };
            atom.terms.iter().filter(is_bound).count()
        };
        let most = open.iter().map(shared).max().unwrap_or(0);
        let next = open.remove(open.iter().position(|it| shared(it) == most).unwrap_or(0));
        bound.extend(next.1.variables());
        all.push(next);
    }
    all
}
