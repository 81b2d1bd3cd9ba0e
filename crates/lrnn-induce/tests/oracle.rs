//! What the lattice says of a clause is what the naive grounder says of the rule that it is printed as: on random facts,
//! for clauses found by random walks.

use std::fmt::Write;

use lrnn::data::{DatasetBuilder, Layout};
use lrnn::ground::naive;
use lrnn::train::shuffled;
use lrnn::vocabulary::Vocabulary;
use lrnn::{Dataset, Template};
use lrnn_induce::{Bias, Coverage, FactIndex, Goal, Lattice, LatticeClause, LatticeLimits};

/// Numbers that only the seed decides.
struct Draw(u64, u64);

impl Draw {
    fn below(&mut self, count: usize) -> usize {
        self.1 += 1;
        shuffled(count.max(1), &[self.0, self.1])[0]
    }

    fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }
}

/// Facts of one example; individuals of examples have names of their own, values do not.
fn facts(draw: &mut Draw, example: usize) -> String {
    let count = 3 + draw.below(4);
    let name = |at: usize| format!("i{example}_{at}");
    let mut all = vec![format!("here({})", name(0))];
    for at in 0..count {
        for kind in ["red", "green", "round"] {
            if draw.chance(45) {
                all.push(format!("{kind}({})", name(at)));
            }
        }
        if draw.chance(70) {
            all.push(format!("size({}, {})", name(at), ["small", "large", "huge"][draw.below(3)]));
        }
        if draw.chance(70) {
            all.push(format!("mass({}, {}.5)", name(at), draw.below(40)));
        }
        if draw.chance(40) {
            all.push(format!("made({}, {}, v{})", name(at), name(draw.below(count)), draw.below(3)));
        }
    }
    for _ in 0..count {
        let (one, other) = (name(draw.below(count)), name(draw.below(count)));
        all.push(format!("near({one}, {other}), near({other}, {one})"));
        all.push(format!("on({}, {})", name(draw.below(count)), name(draw.below(count))));
    }
    for (large, small) in [("large", "small"), ("huge", "large"), ("huge", "small")] {
        all.push(format!("larger({large}, {small})"));
    }
    if draw.chance(50) {
        all.push("sunny".into());
    }
    all.join(", ")
}

fn dataset(draw: &mut Draw, arity: usize) -> Dataset {
    let (mut examples, mut queries) = (String::new(), String::new());
    let count = 6 + draw.below(6);
    for example in 0..count {
        let _ = writeln!(examples, "{}.", facts(draw, example));
        let name = |at: usize| format!("i{example}_{at}");
        let queried: Vec<String> = match arity {
            0 => vec!["1 goal".into()],
            1 => (0..3).map(|at| format!("{} goal({})", at % 2, name(at))).collect(),
            _ => (0..4).map(|at| format!("{} goal({}, {})", at % 2, name(at / 2), name(at % 3))).collect(),
        };
        let _ = writeln!(queries, "{}.", queried.join(", "));
    }
    let mut builder = DatasetBuilder::new(Vocabulary::default());
    builder.text("examples", &examples, Layout::Examples);
    builder.queries(&queries, lrnn::diagnostic::SourceId::default());
    builder.finish().unwrap_or_else(|found| panic!("{found:?}"))
}

/// Checks clauses against the naive grounder, each as a rule with a head of its own.
fn check(data: &Dataset, lattice: &Lattice, clauses: &[(LatticeClause, Coverage)]) {
    let arity = lattice.bias().head.len();
    let mut text = String::new();
    for (number, (clause, _)) in clauses.iter().enumerate() {
        let rule = clause.text(lattice.facts(), lattice.bias());
        let _ = writeln!(text, "head{number}{}.", rule.strip_prefix("goal").expect("the goal"));
    }
    let template = Template::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let mut builder = DatasetBuilder::new(template.vocabulary.clone());
    for example in &data.examples {
        let row =
            |table: &lrnn::data::FactTable, row| data.vocabulary.atom_text(table.predicate, table.row(row));
        let atoms: Vec<String> = example
            .tables
            .iter()
            .flat_map(|table| (0..table.rows as usize).map(move |at| row(table, at)))
            .collect();
        builder.text("", &(atoms.join(", ") + "."), Layout::Examples);
    }
    let again = builder.finish().unwrap_or_else(|found| panic!("{found:?}"));
    let groundings: Vec<_> =
        again.examples.iter().map(|example| naive(&template, &again.vocabulary, example)).collect();
    for (number, (clause, coverage)) in clauses.iter().enumerate() {
        // A clause that counts is a rule about each of those that are counted.
        let width = arity + usize::from(clause.count.is_some());
        let least = clause.count.map_or(1, |(_, least)| least as usize);
        let head = again.vocabulary.find_predicate(&format!("head{number}"), width).expect("the head");
        for (at, query) in lattice.facts().queries.iter().enumerate() {
            let terms: Vec<_> = query
                .terms
                .iter()
                .map(|&term| again.vocabulary.find_constant(lattice.facts().constant(term)))
                .collect();
            let relation = &groundings[query.example as usize].relations[head.index()];
            let expected = terms
                .into_iter()
                .collect::<Option<Vec<_>>>()
                .is_some_and(|terms| relation.rows().filter(|row| row[..arity] == terms).count() >= least);
            let rule = clause.text(lattice.facts(), lattice.bias());
            assert_eq!(coverage.has(at), expected, "{rule} for {}", lattice.facts().query_text(at));
        }
        assert_eq!(lattice.coverage(clause).as_ref(), Some(coverage));
    }
}

/// Checks so many clauses of random lattices.
fn check_random(seeds: std::ops::Range<u64>, each: usize) -> usize {
    let mut checked = 0;
    for seed in seeds {
        let mut draw = Draw(seed, 0);
        let data = dataset(&mut draw, seed as usize % 3);
        let goal = Goal::all(&data).expect("a goal").remove(0);
        let facts = FactIndex::new(&data, &goal);
        let bias = Bias::infer(&facts);
        let limits = LatticeLimits { min_support: 1, negation: seed % 2 == 0, ..LatticeLimits::default() };
        let lattice = Lattice::new(facts, bias, limits, lrnn::Stop::default());
        let mut clause = lattice.root();
        let mut found: Vec<(LatticeClause, Coverage)> = Vec::new();
        while found.len() < each {
            let outlook = lattice.outlook(&clause, draw.below(3), usize::MAX).expect("an outlook");
            let count = outlook.coverages().count();
            if count == 0 || clause.body.len() > 3 {
                clause = lattice.root();
                continue;
            }
            for _ in 0..12 {
                let (clause, coverage) = outlook.clause(&lattice, draw.below(count));
                found.push((clause, (*coverage).clone()));
            }
            clause = found[found.len() - 1 - draw.below(12)].0.clone();
        }
        checked += found.len();
        check(&data, &lattice, &found);
    }
    checked
}

#[test]
fn coverage_is_that_of_the_naive_grounder() {
    assert!(check_random(0..170, 60) >= 10_000);
}
