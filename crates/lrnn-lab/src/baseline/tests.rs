use super::*;
use lrnn::data::Layout;
use lrnn::{Limits, Program, Template};

fn features(template: &str, data: &str) -> Features {
    let template = Template::parse(template).expect("a template");
    let mut builder = template.data();
    builder.text("data", data, Layout::Examples);
    let dataset = builder.build().expect("data");
    let program = Program::new(&template, &dataset, Limits::default()).expect("a template that fits");
    propositionalise(&program, &dataset).expect("it is small")
}

const DATA: &str = "
element(a, c), element(b, c), bond(a, b).
element(a, o), element(b, c), bond(a, b), bond(b, a).
element(a, o), element(b, n).
";

#[test]
fn bodies_are_counted_by_index() {
    let found = features("w[T] :: in(A) :- element(A, T).  v :: toxic :- in(A), bond(A, B), in(B).", DATA);
    let names = [
        "count of rule 1, in/1, T = c",
        "presence of rule 1, in/1, T = c",
        "presence of rule 1, in/1, T = o",
        "presence of rule 1, in/1, T = n",
        "count of rule 2, toxic/0",
        "presence of rule 2, toxic/0",
    ];
    assert_eq!(found.names, names);
    let two = lrnn::function::math::ln(3.0);
    let one = lrnn::function::math::ln(2.0);
    assert_eq!(found.row(0), [(0, two), (1, 1.0), (4, one), (5, 1.0)]);
    assert_eq!(found.row(1), [(0, one), (1, 1.0), (2, 1.0), (4, two), (5, 1.0)]);
    assert_eq!(found.row(2), [(2, 1.0), (3, 1.0)]);
    assert_eq!(found.row(3), []);
    assert_eq!(found.counts[0], [(0, 2.0), (3, 1.0)]);
    assert_eq!(found.counts[1], [(0, 1.0), (1, 1.0), (3, 2.0)]);
}

#[test]
fn latent_groups_give_no_features_of_their_own() {
    let found = features("group(1..3). w[T, G] :: in(A, G) :- element(A, T), *group(G).", DATA);
    assert_eq!(found.names.len(), 4, "{:?}", found.names);
}

/// Two features: the first tells the class but for some noise, the second is noise. 60 examples.
fn noisy(class_count: u32) -> (Features, Vec<u32>) {
    let classes: Vec<u32> = (0..60).map(|number| number % class_count).collect();
    let noise = |number: u32| f64::from(number * 37 % 17) / 17.0;
    let row = |number: u32| {
        vec![(0, f64::from(number % class_count) + noise(number) * 1.1), (1, noise(number + 5))]
    };
    let rows = (0..60).map(row).collect();
    (Features { names: vec!["signal".into(), "noise".into()], rows, counts: Vec::new() }, classes)
}

#[test]
fn those_with_features_beat_the_majority() {
    for class_count in [2, 3] {
        let (features, classes) = noisy(class_count);
        let (training, test): (Vec<usize>, Vec<usize>) = (0..60).partition(|number| number % 5 != 4);
        for baseline in BASELINES {
            let found = fit_predict(baseline, &features, &classes, &training, &test, 1);
            let again = fit_predict(baseline, &features, &classes, &training, &test, 1);
            assert_eq!(found, again, "{} is deterministic", baseline.name);
            let sums = found.iter().map(|probabilities| probabilities.iter().sum::<f64>());
            assert!(sums.into_iter().all(|sum| (sum - 1.0).abs() < 1e-9), "{}", baseline.name);
            let right =
                |(&example, found): (&usize, &Vec<f64>)| most_probable(found) == classes[example] as usize;
            let right = test.iter().zip(&found).filter(|pair| right(*pair)).count();
            let expected = if baseline.needs_features() { 9 } else { 4 };
            assert!(right >= expected, "{} with {class_count} classes: {right} of 12", baseline.name);
        }
    }
}

#[test]
fn nothing_to_learn_is_answered_by_the_frequencies() {
    let (features, classes) = noisy(2);
    let even: Vec<usize> = (0..60).step_by(2).collect();
    for baseline in BASELINES {
        let one = fit_predict(baseline, &features, &classes, &even, &[1, 3], 1);
        assert_eq!(one, [[1.0, 0.0], [1.0, 0.0]], "{}", baseline.name);
        let none = fit_predict(baseline, &features, &classes, &[], &[1], 1);
        assert_eq!(none, [[0.5, 0.5]], "{}", baseline.name);
        let blank = Features { names: Vec::new(), rows: vec![Vec::new(); 60], counts: Vec::new() };
        let all: Vec<usize> = (0..60).collect();
        let blank = fit_predict(baseline, &blank, &classes, &all, &[0, 99], 1);
        assert!(blank.iter().all(|found| (found[0] - 0.5).abs() < 1e-3), "{}: {blank:?}", baseline.name);
        assert!(fit_predict(baseline, &features, &classes, &all, &[], 1).is_empty());
        assert_eq!(fit_predict(baseline, &features, &[], &[3], &[0], 1).len(), 1);
    }
}

/// Boxes that are good if one of their parts is red, in a folder, with a template that says nothing of colours.
fn boxes(folder: &std::path::Path) {
    let (mut examples, mut queries) = (String::new(), String::new());
    for number in 0..60 {
        let colour = ["red", "blue", "green", "blue"][number % 4];
        examples +=
            &format!("colour(p{number}, {colour}), colour(q{number}, green), on(p{number}, q{number}).\n");
        queries += &format!("{} good.\n", u8::from(number % 4 == 0));
    }
    std::fs::create_dir_all(folder).expect("a folder");
    for (name, text) in
        [("examples.txt", examples), ("queries.txt", queries), ("t.lrnn", "good :- on(X, Y).\n".into())]
    {
        std::fs::write(folder.join(name), text).expect("a file");
    }
}

#[test]
fn rules_are_learned_from_facts_on_the_folds_of_a_cross_validation() {
    let folder = std::env::temp_dir().join(format!("lrnn-lab-rules-{}", std::process::id()));
    boxes(&folder);
    let mut options =
        crate::CrossvalOptions::new(folder.join("t.lrnn"), folder.clone(), lrnn::Settings::default());
    options.folds = Some(4);
    let open = || crate::Crossval::open(options.clone()).expect("data that fits");
    let crossval = open();
    for method in [InduceMethod::Growth, InduceMethod::Nfoil, InduceMethod::Kfoil, InduceMethod::Cilp] {
        let rules = rules::CaseRules::new(&crossval, method).expect("a goal");
        let alone = rules::CaseRules::new(&open(), method).expect("a goal");
        for fold in crossval.folds() {
            let shares = rules.shares(fold).expect("rules");
            let other = alone.shares(fold).expect("rules");
            assert_eq!(shares, other, "{} with clauses that others found", method.name());
            let right = fold.test.iter().zip(&shares);
            let right = right.filter(|(case, shares)| (shares[1] > 0.5) == (*case % 4 == 0)).count();
            // The literals of bottom clauses depend on the order of facts, so those are not always right.
            let least = if method == InduceMethod::Cilp { fold.test.len() * 2 / 3 } else { fold.test.len() };
            assert!(right >= least, "{}: {shares:?}", method.name());
        }
    }
    std::fs::remove_dir_all(&folder).expect("it is ours");
}

#[test]
fn queries_of_one_knowledge_base_have_features_of_their_own() {
    let folder = std::env::temp_dir().join(format!("lrnn-lab-queries-{}", std::process::id()));
    let (mut facts, mut queries) = (String::new(), String::new());
    for number in 0..80 {
        let colour = ["red", "blue", "green", "blue"][number % 4];
        facts +=
            &format!("colour(p{number}, {colour}). on(p{number}, q{number}). colour(q{number}, green).\n");
        queries += &format!("{} good(q{number}).\n", u8::from(number % 4 == 0));
    }
    std::fs::create_dir_all(&folder).expect("a folder");
    let template = "good(X) :- on(Y, X).\n".to_owned();
    for (name, text) in [("facts.txt", facts), ("queries.txt", queries), ("t.lrnn", template)] {
        std::fs::write(folder.join(name), text).expect("a file");
    }
    let mut options =
        crate::CrossvalOptions::new(folder.join("t.lrnn"), folder.clone(), lrnn::Settings::default());
    options.folds = Some(4);
    let crossval = crate::Crossval::open(options).expect("data that fits");
    for baseline in BASELINES.iter().filter(|baseline| baseline.needs_features()) {
        let method = baseline.method().expect("it learns");
        assert_eq!(induce_method(baseline.name).expect("a method"), method);
        let rules = rules::CaseRules::new(&crossval, method).expect("a goal");
        for fold in crossval.folds() {
            let shares = rules.shares(fold).expect("answers");
            let wrong = |(case, shares): &(&usize, &Vec<f64>)| (shares[1] > 0.5) != (*case % 4 == 0);
            assert_eq!(fold.test.iter().zip(&shares).filter(wrong).count(), 0, "{}", baseline.name);
        }
    }
    std::fs::remove_dir_all(&folder).expect("it is ours");
}

#[test]
fn a_baseline_has_one_name() {
    let names: Vec<&str> = Baseline::names().collect();
    assert_eq!(names[..2], ["majority", "logistic"]);
    assert!(Baseline::find("logistic").is_ok() && Baseline::find("boost").is_err());
}

#[test]
fn a_baseline_that_is_not_there_says_why() {
    let message = |name| Baseline::find(name).err().map(|error| error.message().to_owned());
    assert_eq!(message("logistc"), Some("there is no baseline `logistc`".into()));
    let missing = "this build has no boosted trees; build with --features boosted";
    assert_eq!(message("boosted"), (!cfg!(feature = "boosted")).then(|| missing.into()));
}
