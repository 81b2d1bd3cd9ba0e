//! `lrnn train`: what must not change the weights, and what is told at the end.

use crate::learning::{data, document, folder, model, train};
use crate::run::Folder;

#[test]
fn threads_change_no_byte_of_the_model() {
    let folder = folder("train threads");
    let models: Vec<Vec<u8>> = ["1", "2", "7"]
        .iter()
        .map(|threads| {
            let words = ["--threads", threads, "--restarts", "3", "--batch-size", "8"];
            let ended = train(&folder, threads, &words);
            assert_eq!(ended.code, 0, "{}", ended.err);
            model(&folder, threads)
        })
        .collect();
    assert_eq!(models[0], models[1]);
    assert_eq!(models[0], models[2]);
}

#[test]
fn what_is_watched_changes_no_weight() {
    let folder = folder("train watched");
    let weights = |run: &str, words: &[&str]| {
        let ended = train(&folder, run, words);
        assert_eq!(ended.code, 0, "{}", ended.err);
        folder.lrnn(&["weights", run, "--csv"]).out
    };
    let plain = weights("plain", &[]);
    assert!(plain.lines().count() > 10, "{plain}");
    assert_eq!(weights("verbose", &["--verbose"]), plain);
    assert_eq!(weights("json", &["--json"]), plain);
    assert_eq!(weights("quiet", &["--quiet"]), plain);
    assert_eq!(weights("validated", &["--validation-data", "other.txt"]), plain);
    assert_ne!(weights("other", &["--seed", "1"]), plain);
}

#[test]
fn the_parts_are_measured_with_the_same_weights() {
    let folder = folder("train parts");
    let words = ["--validation", "0.2", "--test", "0.3", "--json"];
    let trained = document(&train(&folder, "run", &words));
    assert_eq!(trained["examples"]["training"], 20);
    assert_eq!(trained["metrics"]["validation"]["answers"], 8);
    assert_eq!(trained["metrics"]["test"]["answers"], 12);
    assert!(trained["metrics"]["test"]["accuracy"].is_f64(), "{trained}");
    assert_eq!(trained["loss"], trained["metrics"]["training"]["loss"]);
    assert_eq!(trained["loss_function"], "cross-entropy");
    for name in ["read", "build", "epoch_median", "learn", "total"] {
        assert!(trained["seconds"][name].is_f64(), "{name}");
    }
    assert!(trained["seconds"]["ground"].is_null());
    let text = train(&folder, "text", &words[..4]).out;
    let first: Vec<&str> = text.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert_eq!(first[..4], ["answers", "training", "validation", "test"], "{text}");
    assert!(text.lines().next().expect("a head").ends_with("auc"), "{text}");
}

/// Learned with some examples held out: `lrnn test` on these gives what the run said of them.
#[test]
fn a_test_part_is_a_test() {
    let folder = folder("train test part");
    let all = data(0, 40);
    let trained = document(&train(&folder, "run", &["--test", "0.3", "--json"]));
    let measured = document(&folder.lrnn(&["test", "run", "d.txt", "--json"]));
    let part = |name: &str| trained["metrics"][name]["wrong"].as_u64().expect("a count");
    assert_eq!(measured["wrong"].as_u64().expect("a count"), part("training") + part("test"));
    assert_eq!(measured["examples"].as_u64(), Some(all.lines().count() as u64));
}

#[test]
fn a_run_folder_is_a_model() {
    let folder = folder("train run");
    assert_eq!(train(&folder, "run", &[]).code, 0);
    let by_folder = folder.lrnn(&["weights", "run"]);
    assert_eq!(by_folder.code, 0, "{}", by_folder.err);
    assert_eq!(by_folder.out, folder.lrnn(&["weights", "run/model.safetensors"]).out);
}

/// `lrnn query` of a run has its weights, as `lrnn predict` has, and `lrnn test` says what it learned from.
#[test]
fn a_run_is_a_model_for_queries_and_tests() {
    let folder = folder("train query");
    assert_eq!(train(&folder, "run", &["--test", "0.25"]).code, 0);
    let numbers = |words: &[&str], list: &str| -> Vec<f64> {
        let found = document(&folder.lrnn(&[words, &["--json"]].concat()));
        let values = found[list].as_array().expect("a list").iter().map(|it| it["value"].as_f64());
        values.collect::<Option<_>>().expect("numbers")
    };
    let asked = numbers(&["query", "run", "d.txt", "toxic"], "atoms");
    let predicted = numbers(&["predict", "run", "d.txt"], "predictions");
    assert_eq!(asked.len(), 40);
    assert!(asked.iter().zip(&predicted).all(|(one, other)| (one - other).abs() < 1e-5));
    let untrained = numbers(&["query", "t.lrnn", "d.txt", "toxic"], "atoms");
    assert!(asked.iter().zip(&untrained).any(|(one, other)| (one - other).abs() > 0.1));
    let known = folder.lrnn(&["test", "run", "d.txt"]).err;
    assert!(known.contains("the model learned from 30 of these 40 examples"), "{known}");
    let unknown = folder.lrnn(&["test", "run", "other.txt"]).err;
    assert!(!unknown.contains("learned from"), "{unknown}");
}

#[test]
fn settings_are_kept_for_another_time() {
    let folder = folder("train kept");
    let words =
        ["--validation-data", "other.txt", "--max-ground-rules", "5000", "--seed", "18446744073709551615"];
    assert_eq!(train(&folder, "run", &words).code, 0);
    let kept = folder.read("run/lrnn.toml");
    assert!(kept.contains("max_ground_rules = 5000\n") && kept.contains("other.txt\"\n"), "{kept}");
    let before = model(&folder, "run");
    let again = folder.lrnn(&["train", "--resume", "run", "--json"]);
    assert_eq!(again.code, 0, "{}", again.err);
    assert_eq!(document(&again)["metrics"]["validation"]["answers"], 10);
    assert_eq!(model(&folder, "run"), before);
}

/// Names of earlier versions are still read, and mean the same.
#[test]
fn settings_have_their_earlier_names() {
    let folder = folder("train names");
    let old = ["--rate", "0.1", "--batch", "4", "--start", "uniform", "--start-scale", "0.5", "--clip", "1"];
    let new = [
        "--learning-rate",
        "0.1",
        "--batch-size",
        "4",
        "--initialization",
        "uniform",
        "--initialisation-scale",
        "0.5",
        "--gradient-clip",
        "1",
    ];
    assert_eq!(train(&folder, "old", &old).code, 0);
    assert_eq!(train(&folder, "new", &new).code, 0);
    assert!(model(&folder, "old") == model(&folder, "new"));
    let settings = |run: &str| folder.read(&format!("{run}/lrnn.toml"));
    assert_eq!(settings("old"), settings("new"));
    assert!(settings("old").contains("\nlearning_rate = 0.1\n"));
    let twice = train(&folder, "twice", &["--rate", "0.1", "--learning-rate", "0.1"]);
    assert_eq!(twice.code, 2, "{}", twice.err);
}

#[test]
fn template_and_data_may_stand_without_flags() {
    let folder = folder("train places");
    let run = |words: &[&str], out: &str| {
        let ended = folder.lrnn(&[words, &["--epochs", "5", "--out", out]].concat());
        assert_eq!(ended.code, 0, "{}", ended.err);
        model(&folder, out)
    };
    let flags = run(&["train", "--template", "t.lrnn", "--data", "d.txt"], "flags");
    assert_eq!(run(&["train", "t.lrnn", "d.txt"], "places"), flags);
    let both = folder.lrnn(&["train", "t.lrnn", "d.txt", "--data", "other.txt"]);
    assert_eq!(both.code, 2, "{}", both.err);
}

/// A graph as one example: a node is of the class that most of its neighbours hint at.
fn graph(folder: &Folder) {
    folder.write(
        "t.lrnn",
        "w :: class(X) :- edge(X, Y), hint(Y). [aggregation = sum]\nv :: class(X) :- node(X).",
    );
    let (mut queries, mut facts) = (Vec::new(), Vec::new());
    for node in 0..40 {
        let neighbours = (1..6).map(|nth| (node * 7 + nth * nth * 11) % 40);
        let sum: i32 = neighbours.clone().map(|other| if other % 3 == 0 { 1 } else { -1 }).sum();
        queries.push(format!("{} class(n{node})", u8::from(sum > -1)));
        facts.extend([
            format!("node(n{node})"),
            format!("{} hint(n{node})", if node % 3 == 0 { 1 } else { -1 }),
        ]);
        facts.extend(neighbours.map(|other| format!("edge(n{node}, n{other})")));
    }
    folder.write("d.txt", format!("{} :- {}.", queries.join(", "), facts.join(", ")));
}

#[test]
fn one_example_is_learned_in_batches_of_its_queries() {
    let folder = Folder::new("batches");
    graph(&folder);
    let adam = ["--optimizer", "adam", "--learning-rate", "0.1", "--epochs", "400", "--json"];
    let learn = |out: &str, words: &[&str]| {
        let ended = train(&folder, out, &[&adam[..], words].concat());
        assert_eq!(ended.code, 0, "{}", ended.err);
        document(&ended)["metrics"]["training"]["wrong"].as_u64().expect("a count")
    };
    let whole = learn("whole", &[]);
    assert!(whole < 5, "{whole}");
    let batches = ["--batch-queries", "8"];
    assert!(learn("batches", &batches) <= whole + 2);
    // Of five neighbours three tell most of what all of them do.
    let sampled = [&batches[..], &["--sampled-neighbours", "3"]].concat();
    assert!(learn("sampled", &sampled) < 12);
    learn("threads", &[&sampled[..], &["--threads", "1"]].concat());
    assert!(model(&folder, "sampled") == model(&folder, "threads"));
    assert!(model(&folder, "sampled") != model(&folder, "batches"));
    let refused = train(&folder, "refused", &["--optimizer", "lbfgs", "--batch-queries", "8"]);
    assert_eq!(refused.code, 2, "{}", refused.err);
    assert!(refused.err.contains("needs the same loss in every step"), "{}", refused.err);
}

/// The settings of a folder stay where the template is another, its family as well, and the run goes on with it.
#[test]
fn the_family_of_a_folder_holds_for_another_template() {
    let folder = Folder::new("train family");
    let rule = "0.5 :: foal(A) :- parent(A, P), horse(P).\n";
    folder.write("set/template.lrnn", "foal(A) :- horse(A).\n");
    folder
        .write("set/lrnn.toml", "template = \"template.lrnn\"\ndata = \"d.txt\"\nfamily = \"lukasiewicz\"\n");
    folder.write("set/d.txt", "1 foal(star) :- parent(star, aida), horse(aida).\n");
    folder.write("other.lrnn", rule);
    let own = ["train", "set", "--template", "other.lrnn", "--epochs", "1", "--out", "own"];
    let named = [&own[..6], &["--out", "named", "--family", "lukasiewicz"]].concat();
    for words in [&own[..], &named] {
        let ended = folder.lrnn(words);
        assert_eq!(ended.code, 0, "{}", ended.err);
    }
    assert_eq!(model(&folder, "own"), model(&folder, "named"));
    let more = folder.lrnn(&["train", "--resume", "own", "--epochs", "3"]);
    assert_eq!(more.code, 0, "{}", more.err);
}
