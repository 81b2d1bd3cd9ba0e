//! Knowledge bases as a whole: what is ranked is what the written template says in the engine, no fact is a reason for
//! itself, results depend on nothing but the triples, and known rules are found.

use std::collections::BTreeSet;
use std::path::Path;

use lrnn::train::{Share, shuffled};
use lrnn::vocabulary::Constant;
use lrnn::{Settings, Stop, Template, Threads, Training, TrainingOptions};
use lrnn_kb::{
    Completion, CompletionOptions, CompletionSetting, Graph, KnowledgeBase, Likeness, NamedTriple, Negatives,
    RuleCombination, complete, complete_with,
};

fn triples(text: &str) -> Vec<NamedTriple> {
    let cells = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    text.lines().map(|line| cells(line).try_into().expect("three cells")).collect()
}

/// Three of the families that come with the project.
fn families() -> [Vec<NamedTriple>; 3] {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../datasets/kinship/triples");
    let is_taken = |triple: &NamedTriple| triple[0].as_str() < "bi";
    ["train", "valid", "test"].map(|name| {
        let all = triples(&std::fs::read_to_string(folder.join(format!("{name}.tsv"))).expect("a file"));
        all.into_iter().filter(is_taken).collect()
    })
}

fn completed(knowledge: &KnowledgeBase, options: &CompletionOptions) -> Completion {
    let threads = Threads::new(Some(2)).expect("threads");
    let done = std::sync::atomic::AtomicUsize::new(0);
    let found = threads.run(|| complete(knowledge, options, &Stop::default(), &done)).expect("a completion");
    assert_eq!(done.into_inner(), lrnn_kb::completion_steps(knowledge));
    found
}

/// Completes under one setting of the grid.
fn complete_under(
    knowledge: &KnowledgeBase,
    options: &CompletionOptions,
    setting: CompletionSetting,
) -> Completion {
    let done = std::sync::atomic::AtomicUsize::new(0);
    complete_with(knowledge, options, &[setting], &Stop::default(), &done).expect("a completion")
}

fn quick() -> CompletionOptions {
    CompletionOptions { length: 2, rules: vec![30], l2: vec![0.5], ..CompletionOptions::default() }
}

/// Values of the engine for `holds(X, R, Y)`, by text, from the template and the known triples as facts.
fn engine_values(completion: &Completion, knowledge: &KnowledgeBase) -> Vec<(String, f64)> {
    let template = Template::parse(&completion.template(knowledge)).unwrap_or_else(|error| panic!("{error}"));
    let mut data = template.data();
    let mut example = data.example("");
    for triple in &knowledge.train {
        let name = |at: u32| Constant::Name(knowledge.entities[at as usize].as_str().into());
        example = example
            .fact(&knowledge.relations[triple.relation as usize], vec![name(triple.head), name(triple.tail)]);
    }
    for predicted in &completion.predictions {
        let terms: Vec<Constant> =
            predicted.triple.iter().map(|name| Constant::Name(name.as_str().into())).collect();
        example = example.target(1.0, "holds", terms);
    }
    drop(example);
    let data = data.build().unwrap_or_else(|error| panic!("{error}"));
    let settings = Settings { validation: Share(0.0), test: Share(0.0), ..Settings::default() };
    let training = Training::new(&template, &data, &settings, TrainingOptions::default());
    let model = training.unwrap_or_else(|error| panic!("{error}")).model();
    let answers = model.predict(&data).unwrap_or_else(|error| panic!("{error}"));
    answers
        .all
        .iter()
        .map(|answer| {
            (answer.query.clone(), answer.value.as_ref().and_then(lrnn::Value::number).expect("a number"))
        })
        .collect()
}

#[test]
fn the_template_says_what_was_ranked() {
    let text = "ann mother bob\nbob father cid\nann grandmother cid\neve mother fay\nfay mother gus\neve grandmother gus\n\
                hal father ida\nida mother jon\njon son ida\nida daughter hal\nbob son ann\ncid son bob\nann likes ann";
    let knowledge = KnowledgeBase::new(&triples(text), &triples("eve mother gus"), &[]).expect("triples");
    for length in 1..=3 {
        let options = CompletionOptions { length, predictions: 10_000, l2: vec![0.1], ..quick() };
        // Whichever setting is the best on one triple: each has its turn.
        for setting in options.grid() {
            let completion = complete_under(&knowledge, &options, setting);
            assert!(completion.predictions.len() > 400);
            let values = engine_values(&completion, &knowledge);
            assert_eq!(values.len(), completion.predictions.len());
            for (predicted, (query, value)) in completion.predictions.iter().zip(&values) {
                let ranked = match setting.combination {
                    RuleCombination::Logistic => predicted.probability,
                    RuleCombination::NoisyOr => predicted.score,
                };
                assert!((ranked - value).abs() < 1e-6, "{setting}: {query}: {value}, ranked {predicted:?}");
            }
        }
    }
}

/// What the ends of a known triple have in common with others by it does not count: these two like the same and have
/// nothing else in common, those two live in one place as well.
#[test]
fn likeness_leaves_the_triple_itself_out() {
    let text = "a likes z\nb likes z\nc likes y\nd likes y\nc lives x\nd lives x\ne likes w\nf likes w\nw kind v\nz kind u";
    let knowledge = KnowledgeBase::new(&triples(text), &[], &[]).expect("triples");
    let graph = Graph::new(&knowledge);
    let likeness = Likeness::new(&graph, &knowledge, Negatives::All);
    let entity = |name: &str| knowledge.entities.iter().position(|it| it == name).expect("an entity") as u32;
    let likes = knowledge.relations.iter().position(|it| it == "likes").expect("a relation") as u32;
    let head = |one: &str, other: &str| likeness.reasons(&graph, likes, (entity(one), entity(other)))[0].0;
    assert_eq!(head("a", "z"), 0.0);
    assert_eq!(head("e", "w"), 0.0);
    // All of what is known of c beside the triple, half of what is known of d.
    assert_eq!(head("c", "y"), 0.707);
    let alike: Vec<(u32, f64)> = likeness.others(entity("a")).collect();
    assert_eq!(alike, [(entity("b"), 1.0)]);
}

#[test]
fn no_fact_is_a_reason_for_itself() {
    let text =
        "a likes b\nb likes a\na likes a\nc likes d\nd likes c\ne likes f\nf likes e\ng likes h\nh likes g";
    let knowledge = KnowledgeBase::new(&triples(text), &[], &[]).expect("triples");
    let graph = Graph::new(&knowledge);
    for steps in [&[1][..], &[0, 1], &[1, 0], &[0, 1, 0], &[1, 1, 1], &[0, 0, 0]] {
        let path = lrnn_kb::Path::new(steps);
        for &(head, tail) in &graph.pairs(path, usize::MAX).expect("few pairs").pairs {
            let way = graph.witness(&path, (head, tail)).expect("a way");
            let own = lrnn_kb::Triple { relation: 0, head, tail };
            assert!(!way.contains(&own), "{own:?} by {way:?}");
        }
    }
}

#[test]
fn threads_and_the_order_of_triples_change_nothing() {
    let [train, valid, test] = families();
    let knowledge = KnowledgeBase::new(&train, &valid, &test).expect("triples");
    let turned: Vec<NamedTriple> = train.iter().rev().cloned().collect();
    let other = KnowledgeBase::new(&turned, &valid, &test).expect("triples");
    let alone = Threads::new(Some(1)).expect("threads");
    let first =
        alone.run(|| complete(&knowledge, &quick(), &Stop::default(), &0.into())).expect("a completion");
    assert_eq!(first, completed(&other, &quick()));
    assert_eq!(first.template(&knowledge), completed(&other, &quick()).template(&other));
}

#[test]
fn the_rules_of_families_are_found() {
    let [train, valid, test] = families();
    let knowledge = KnowledgeBase::new(&train, &valid, &test).expect("triples");
    let completion = completed(&knowledge, &quick());
    let best = |relation: &str| {
        let found = completion.rules.iter().find(|rules| rules.relation == relation).expect("a relation");
        found.rules.iter().take(3).map(|rule| rule.rule.clone()).collect::<Vec<_>>().join("\n")
    };
    assert!(best("husband").contains("wife(Y, X)"), "{}", best("husband"));
    assert!(best("uncle").contains("brother(X, Z), "), "{}", best("uncle"));
    assert!(best("grandmother").contains("mother(X, Z), "), "{}", best("grandmother"));
    let test = completion.test.expect("a ranking");
    assert!(test.both.mrr > 0.85, "{test:?}");
    assert_eq!(test.both.ranks, 2 * knowledge.test.len());
    let relations: usize = test.relations.iter().map(|relation| relation.both.ranks).sum();
    assert_eq!(relations, test.both.ranks);
    for predicted in &completion.predictions {
        assert!(!predicted.proofs.is_empty(), "{predicted:?}");
        // Each rule is told once, and nothing of the score is left out.
        let rules: BTreeSet<&str> = predicted.proofs.iter().map(|proof| proof.rule.as_str()).collect();
        assert_eq!(rules.len(), predicted.proofs.len(), "{predicted:?}");
        let told: f64 = predicted.proofs.iter().map(|proof| proof.weight * proof.value).sum();
        let probability = completion.setting.combination.probability(told + predicted.rest);
        assert!((probability - predicted.probability).abs() < 1e-5, "{predicted:?}");
    }
}

#[test]
fn rules_of_likeness_are_told_apart() {
    // Two tastes, by which most buy most.
    let mut known = Vec::new();
    for (one, other) in (0..16).flat_map(|one| (0..16).map(move |other| (one, other))) {
        if one % 2 == other % 2 && shuffled(4, &[one, other])[0] > 0 {
            known.push(format!("c{one} buys t{other}"));
        }
    }
    let all = triples(&known.join("\n"));
    let (validation, known) = all.split_at(all.len() / 10);
    let knowledge = KnowledgeBase::new(known, validation, &[]).expect("triples");
    let completion = completed(&knowledge, &CompletionOptions { length: 1, ..quick() });
    let mut alike = 0;
    for predicted in &completion.predictions {
        let own = predicted.proofs.iter().filter(|proof| proof.rule.contains("like(")).collect::<Vec<_>>();
        let rules: BTreeSet<&str> = own.iter().map(|proof| proof.rule.as_str()).collect();
        assert_eq!(rules.len(), own.len(), "{predicted:?}");
        alike += usize::from(own.len() > 1);
    }
    assert!(alike > 0, "{:?}", completion.predictions);
}

#[test]
fn sampled_wrong_answers_are_nearly_as_good_as_all() {
    // More than all pairs would be taken of.
    let wives = (0..170).map(|at| format!("x{at} wife y{at}"));
    let husbands = (0..160).map(|at| format!("y{at} husband x{at}"));
    let known = triples(&wives.chain(husbands).collect::<Vec<_>>().join("\n"));
    let test = triples("y165 husband x165\ny169 husband x169");
    let knowledge = KnowledgeBase::new(&known, &test[..1], &test).expect("triples");
    assert!(!Negatives::Sampled(1).takes_all(knowledge.entities.len()), "{}", knowledge.entities.len());
    let options = CompletionOptions { negatives: Negatives::Sampled(2000), ..quick() };
    let test = completed(&knowledge, &options).test.expect("a ranking");
    assert!(test.both.mrr > 0.99, "{test:?}");
}

#[test]
fn triples_that_make_no_sense_are_told() {
    let known = triples("a likes b\nb likes c");
    let error = KnowledgeBase::new(&[], &known, &[]).expect_err("nothing to learn from");
    assert!(error.to_string().contains("no triple to learn from"), "{error}");
    let knowledge = KnowledgeBase::new(&known, &known[..1], &triples("x hates b")).expect("triples");
    assert_eq!(knowledge.notes.len(), 3, "{:?}", knowledge.notes);
    let completion = completed(&knowledge, &quick());
    // Of a relation that nothing is known of, all ends are alike.
    let test = completion.test.expect("a ranking");
    assert_eq!((test.head.mrr, test.head.mean_rank), (1.0 / 2.5, 2.5));
    let stop = Stop::default();
    stop.raise();
    let error = complete(&knowledge, &quick(), &stop, &0.into()).expect_err("it was stopped");
    assert_eq!(error.kind(), lrnn::ErrorKind::Stopped);
}
