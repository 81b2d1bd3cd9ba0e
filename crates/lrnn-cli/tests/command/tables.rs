//! Tables as data: a mapping wherever data is asked for, a model that remembers it, and what is inferred from a schema.

use std::fmt::Write;
use std::path::Path;

use crate::run::{Ended, Folder};

const MAPPING: &str = "\
:- source('shop').
:- example(customer.id).
:- key(orders.customer, customer.id).
scale(A) :: age <- customer(age: A).
bought(P) <- orders(product: P).
? 1 :: left <- customer(gone: yes).
? 0 :: left <- customer(gone: no).
";

const TEMPLATE: &str = "\
a :: left :- age.
w[P] :: left :- bought(P).
";

fn done(ended: Ended) -> Ended {
    assert_eq!(ended.code, 0, "{}", ended.err);
    ended
}

/// Writes so many customers: those who bought a lamp are gone.
fn customers(folder: &Folder, place: &str, count: usize, with_labels: bool) {
    let (mut customers, mut orders) = ("id,age,gone\n".to_owned(), "number,customer,product\n".to_owned());
    for id in 0..count {
        let is_gone = id % 3 == 0;
        let label = if with_labels { ["no", "yes"][usize::from(is_gone)] } else { "" };
        let _ = writeln!(customers, "0{id},{},{label}", 20 + id % 50);
        let _ = writeln!(orders, "{id},0{id},{}", if is_gone { "lamp" } else { "chair" });
    }
    folder.write(&format!("{place}/customer.csv"), customers);
    folder.write(&format!("{place}/orders.csv"), orders);
}

#[test]
fn a_mapping_is_data_and_a_model_remembers_it() {
    let folder = Folder::new("tables mapping");
    customers(&folder, "shop", 60, true);
    folder.write("shop.tables", MAPPING);
    folder.write("shop.lrnn", TEMPLATE);
    let checked = done(folder.lrnn(&["check", "shop.lrnn", "shop.tables"]));
    assert!(checked.out.contains("is fine"), "{}", checked.out);
    let seen = done(folder.lrnn(&["tables", "preview", "shop.tables"]));
    assert!(seen.out.contains("60 rows, 60 facts; by orders.customer"), "{}", seen.out);
    let learned = done(folder.lrnn(&[
        "train",
        "shop.tables",
        "--out",
        "run",
        "--epochs",
        "200",
        "--learning-rate",
        "0.5",
    ]));
    assert!(learned.out.contains("training       60"), "{}", learned.out);
    done(folder.lrnn(&["test", "run", "shop.tables"]));
    done(folder.lrnn(&["explain", "run", "shop.tables", "--example", "03"]));
    // New customers, without labels, by the mapping that the model remembers.
    customers(&folder, "new", 7, false);
    let answers = done(folder.lrnn(&["predict", "run", "new", "--csv"]));
    let gone = |line: &str| line.contains(",1,,true");
    let classes: Vec<bool> = answers.out.lines().skip(1).map(gone).collect();
    assert_eq!(classes, [true, false, false, true, false, false, true], "{}", answers.out);
}

#[test]
fn folds_fit_a_mapping_each_to_its_own_training_rows() {
    let folder = Folder::new("tables folds");
    customers(&folder, "shop", 60, true);
    folder.write("shop.tables", MAPPING);
    folder.write("shop.lrnn", TEMPLATE);
    let words =
        ["crossval", "--template", "shop.lrnn", "--data", "shop.tables", "--folds", "3", "--out", "run"];
    let words = [&words[..], &["--epochs", "200", "--learning-rate", "0.5"]].concat();
    let found = done(folder.lrnn(&words));
    assert!(found.out.contains("100.0 % of all answers are right"), "{}", found.out);
    let scale = |model: &Path| {
        let bytes = std::fs::read(model).expect("a model");
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let at = text.find("scale(A, ").expect("the mapping of the model");
        text[at..at + 40].to_owned()
    };
    let models: Vec<String> = (0..3)
        .map(|fold| scale(&folder.path(&format!("run/models/seed-0-fold-{fold}.safetensors"))))
        .collect();
    assert!(models[0] != models[1] && models[1] != models[2], "{models:?}");
}

#[test]
fn what_is_inferred_learns_at_once() {
    let folder = Folder::new("tables infer");
    customers(&folder, "shop", 60, true);
    let found = done(folder.lrnn(&["tables", "infer", "shop", "--target", "customer.gone"]));
    assert!(found.out.contains("to learn: lrnn train shop.tables"), "{}", found.out);
    assert!(folder.read("shop.tables").contains("? 1 :: gone <- customer(gone: yes)."));
    let again = folder.lrnn(&["tables", "infer", "shop", "--target", "customer.gone"]);
    assert_eq!(again.code, 5, "a mapping is not overwritten: {}", again.err);
    assert!(folder.read("shop.toml").contains("l2 = "), "{}", folder.read("shop.toml"));
    done(folder.lrnn(&["train", "shop.tables", "--out", "run", "--epochs", "20"]));
    assert!(folder.read("run/lrnn.toml").contains("l2 = 0.0129"), "{}", folder.read("run/lrnn.toml"));
    let wrong =
        folder.lrnn(&["tables", "infer", "shop", "--target", "customer.gon", "--out", "other.tables"]);
    assert!(wrong.code == 2 && wrong.err.contains("did you mean `gone`?"), "{}", wrong.err);
}

#[test]
fn what_cannot_be_inferred_leaves_no_file_behind() {
    let folder = Folder::new("tables refused");
    let rows = |as_of: &str| {
        let row = |id: usize| format!("{id},2024-03-0{},{}\n", 1 + id % 3, ["no", "yes"][id % 2]);
        format!("id,as_of,gone\n{}9,{as_of},no\n", (0..9).map(row).collect::<String>())
    };
    folder.write("customer.csv", rows(""));
    let words = ["tables", "infer", "customer.csv", "--target", "customer.gone"];
    let refused = folder.lrnn(&words);
    assert_eq!(refused.code, 3, "{}", refused.err);
    assert!(refused.err.contains("an example without the date it is as of"), "{}", refused.err);
    assert!(refused.err.contains("customer.csv:11:3"), "{}", refused.err);
    for file in ["customer.tables", "customer.lrnn", "customer.toml"] {
        assert!(!folder.path(file).exists(), "{file}");
    }
    folder.write("customer.csv", rows("2024-03-01"));
    done(folder.lrnn(&words));
}

#[test]
fn rows_and_cells_that_are_left_out_are_told() {
    let folder = Folder::new("tables told");
    let mut visits = "visit,customer,minutes\n".to_owned();
    let mut customers = "id,gone\n".to_owned();
    for id in 0..40 {
        let _ = writeln!(customers, "c{id},{}", ["no", "yes"][id % 2]);
        let minutes = if id == 7 { "n/a".to_owned() } else { (id * 7 % 23).to_string() };
        let _ = writeln!(visits, "{id},c{},{minutes}", if id == 3 { 99 } else { id });
    }
    folder.write("shop/customer.csv", customers);
    folder.write("shop/visits.csv", visits);
    let mapping = ":- source('shop').\n:- example(customer.id).\n:- key(visits.customer, customer.id).\n\
                   visits(V) <- visits(visit: V).\n? 1 :: gone <- customer(gone: yes).\n? 0 :: gone <- customer(gone: no).\n";
    folder.write("shop.tables", mapping);
    folder.write("shop.lrnn", "a :: gone :- visits(V).\n");
    let join = "1 of 40 rows of `visits` refer by `customer` to no row of `customer`";
    let checked = done(folder.lrnn(&["tables", "check", "shop.tables"]));
    assert!(
        checked.err.contains(join) && checked.out.contains("no leak found"),
        "{}{}",
        checked.err,
        checked.out
    );
    let trained = done(folder.lrnn(&["train", "shop.tables", "--out", "run", "--epochs", "2"]));
    assert!(trained.err.contains(join), "{}", trained.err);
    let told =
        done(folder.lrnn(&["tables", "infer", "shop", "--target", "customer.gone", "--out", "it.tables"]));
    assert!(told.err.contains("warning: visits.minutes: 1 cell is no number"), "{}", told.err);
    folder.write("base.tables", mapping.replace(":- example(customer.id).\n", ""));
    let base = done(folder.lrnn(&["tables", "check", "base.tables"]));
    assert!(base.out.contains("NOT MEASURED: there is one knowledge base"), "{}", base.out);
    assert!(!base.out.contains("no leak found"), "{}", base.out);
}
