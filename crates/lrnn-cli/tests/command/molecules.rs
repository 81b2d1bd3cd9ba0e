//! Tables of molecules: from SMILES to a model, its answers and its explanations.

use crate::learning::document;
use crate::run::Folder;

/// Alcohols are active.
const MOLECULES: &str = "\
name,smiles,class,size
ethanol,CCO,active,3
propanol,CCCO,active,4
butanol,CCCCO,active,5
cyclohexanol,OC1CCCCC1,active,7
isopropanol,CC(C)O,active,4
pentanol,CCCCCO,active,6
ethane,CC,inactive,2
propane,CCC,inactive,3
butane,CCCC,inactive,4
cyclohexane,C1CCCCC1,inactive,6
isobutane,CC(C)C,inactive,4
broken,C1CC,inactive,3
pentane,CCCCC,inactive,5
";

fn folder(name: &str) -> Folder {
    let folder = Folder::new(name);
    folder.write("molecules.csv", MOLECULES);
    folder.write("new.csv", "id,smiles\n007,CCCCCCO\n\"a, b\",CCC(C)C\n");
    folder
}

#[test]
fn a_table_of_smiles_is_learned_and_predicted() {
    let folder = folder("molecules learned");
    let trained = folder.lrnn(&["train", "molecules.csv", "--target", "class", "--out", "run"]);
    assert_eq!(trained.code, 0, "{}", trained.err);
    assert!(trained.err.contains("molecules.csv:13:9"), "{}", trained.err);
    assert!(trained.err.contains("1 of 13 molecules cannot be read"), "{}", trained.err);
    assert!(trained.err.contains("`active` counts as 1"), "{}", trained.err);
    assert!(folder.path("run/template.lrnn").exists());
    let predicted = folder.lrnn(&["predict", "run", "new.csv", "--csv"]);
    let lines: Vec<&str> = predicted.out.lines().collect();
    assert_eq!(lines[0], "id,smiles,target,prediction,probability,class");
    // Nobody wrote the rule about charges, which none of these has.
    assert!(!predicted.err.contains("never fire"), "{}", predicted.err);
    assert!(lines[1].starts_with("007,CCCCCCO,class,") && lines[1].ends_with(",active"), "{}", lines[1]);
    assert!(
        lines[2].starts_with("\"a, b\",CCC(C)C,class,") && lines[2].ends_with(",inactive"),
        "{}",
        lines[2]
    );
    let tested = document(&folder.lrnn(&["test", "run", "molecules.csv", "--json"]));
    assert_eq!(tested["metrics"]["accuracy"], 1.0, "{tested}");
    assert_eq!(folder.lrnn(&["report", "run"]).code, 0);
    assert!(folder.read("run/report.html").contains(r#""labels":["inactive","active"]"#));
    let explained = folder.lrnn(&["explain", "run", "molecules.csv", "--example", "ethanol"]);
    assert!(
        explained.out.contains("  atom 3, O") && explained.out.contains("  bond C2-O3"),
        "{}",
        explained.out
    );
    let drawn = folder.lrnn(&["draw", "run", "molecules.csv", "--what", "example", "-o", "ethanol.svg"]);
    let picture = folder.read("ethanol.svg");
    assert_eq!((drawn.code, picture.matches("class=\"bond\"").count()), (0, 2), "{}", drawn.err);
    assert!(picture.contains("<title>atom 3, O: ") && picture.contains("class=\"el-o\""));
    folder.lrnn(&["draw", "run", "molecules.csv", "--what", "example", "-o", "ethanol.pdf"]);
    let pdf = folder.read("ethanol.pdf");
    let table = pdf.find("xref\n").expect("a table");
    assert!(pdf.starts_with("%PDF-1.4\n") && pdf.contains(&format!("startxref\n{table}\n")));
    // The letter O in its colour, and the number of lines.
    assert!(pdf.contains("0.769 0.086 0.110 rg 1 0 0 -1"), "{pdf}");
    let found = document(&folder.lrnn(&["patterns", "run", "molecules.csv", "--json"]));
    let asked = document(&folder.lrnn(&["patterns", "run", "molecules.csv", "--substructures", "--json"]));
    assert_eq!(found["raising"], asked["raising"]);
    // A table without targets is asked what training asked.
    let why = folder.lrnn(&["explain", "run", "new.csv", "--example", "0", "--json"]);
    assert_eq!(why.code, 0, "{}", why.err);
    assert_eq!(document(&why)["explained"][0]["atom"], "property(class)", "{}", why.out);
    let rules = document(&folder.lrnn(&["patterns", "run", "molecules.csv", "--rules", "--json"]));
    assert!(rules["rules"].as_array().is_some_and(|rules| rules.len() > 3), "{rules}");
    let raising = found["raising"].as_array().expect("a list");
    assert_eq!((&raising[0]["name"], &raising[0]["support"]), (&"C(C)O".into(), &4.into()), "{found}");
}

#[test]
fn several_targets_and_numbers_are_learned_together() {
    let folder = folder("molecules targets");
    let words = ["train", "molecules.csv", "--target", "class", "--target", "size", "--out", "run", "--json"];
    let trained = document(&folder.lrnn(&words));
    assert_eq!(trained["loss_function"], "squared");
    let predicted = document(&folder.lrnn(&["predict", "run", "new.csv", "--json"]));
    assert_eq!(predicted["predictions"].as_array().map(Vec::len), Some(4));
}

#[test]
fn other_templates_and_files_are_read() {
    let folder = folder("molecules files");
    folder.write("own.lrnn", "w[E] :: class :- element(A, E), *bond(A, _, _).\n");
    let words = ["train", "molecules.csv", "--template", "own.lrnn", "--target", "class", "--out", "own"];
    let trained = folder.lrnn(&words);
    assert_eq!(trained.code, 0, "{}", trained.err);
    folder.write("new.smi", "CCO ethanol\n# nothing\nC1CC broken\nCC\n");
    let predicted = folder.lrnn(&["predict", "own", "new.smi", "--csv"]);
    let lines: Vec<&str> = predicted.out.lines().collect();
    assert!(lines[1].starts_with("CCO,ethanol,class,") && lines[2].starts_with("CC,,class,"), "{lines:?}");
    assert!(predicted.err.contains("new.smi:3:2"), "{}", predicted.err);
    let sdf = "water\n\n\n  1  0  0  0  0  0  0  0  0  0  0 V2000\n    0.0000    0.0000    0.0000 O   0  0\nM  END\n> <class>\nactive\n\n$$$$\n";
    folder.write("new.sdf", sdf);
    let tested = folder.lrnn(&["predict", "own", "new.sdf", "--csv"]);
    assert_eq!(tested.code, 0, "{}", tested.err);
}

#[test]
fn folds_of_scaffolds_keep_rings_together() {
    let folder = folder("molecules scaffolds");
    let words = ["crossval", "molecules.csv", "--target", "class", "--split", "scaffold", "--folds", "2"];
    let ended = folder.lrnn(&[&words[..], &["--out", "cv", "--epochs", "5"]].concat());
    assert_eq!(ended.code, 0, "{}", ended.err);
    // Ten without rings are one scaffold, two with a ring another.
    assert!(ended.out.contains("   0        10") && ended.out.contains("   1         2"), "{}", ended.out);
    let predicted = folder.lrnn(&["predict", "cv", "new.csv", "--csv"]);
    assert!(predicted.out.contains(",active\n"), "{} {}", predicted.out, predicted.err);
    let split =
        ["train", "molecules.csv", "--target", "class", "--split", "scaffold", "--test", "0.2", "--out", "t"];
    let trained = folder.lrnn(&split);
    assert!(trained.out.contains("test") && trained.code == 0, "{}", trained.err);
}

#[test]
fn every_molecule_is_answered_whatever_is_known_of_it() {
    let folder = folder("molecules unknown");
    folder.lrnn(&["train", "molecules.csv", "--target", "class", "--target", "size", "--out", "run"]);
    folder.write(
        "some.csv",
        "name,smiles,class,size\nx,CCCO,active,4\ny,CCCC,,4\nz,CCCCC,Unknown,\nu,CO,NA,high\n",
    );
    let predicted = folder.lrnn(&["predict", "run", "some.csv", "--json"]);
    assert_eq!(document(&predicted)["predictions"].as_array().map(Vec::len), Some(8));
    assert!(predicted.err.contains("`Unknown` is no class that is known of class"), "{}", predicted.err);
    assert!(predicted.err.contains("`high` is no number of size"), "{}", predicted.err);
    let explained = document(&folder.lrnn(&["explain", "run", "some.csv", "--json"]));
    assert_eq!(explained["explained"].as_array().map(Vec::len), Some(8), "{explained}");
    let why = &explained["explained"][0]["parts"][0]["constant"];
    assert!(why.as_str().is_some_and(|it| it.starts_with("atom ") || it.starts_with("bond ")), "{why}");
    let drawn = ["draw", "run", "some.csv", "--what", "example", "--example", "y", "-o", "y.svg"];
    assert_eq!(folder.lrnn(&drawn).code, 0);
    // What is not known is not scored, and what cannot be read must be.
    folder.write("known.csv", "name,smiles,class,size\nx,CCCO,active,4\ny,CCCC,,4\nz,CCCCC,NA,\n");
    let tested = document(&folder.lrnn(&["test", "run", "known.csv", "--json"]));
    assert_eq!((&tested["answers"], &tested["queries"]), (&3.into(), &3.into()), "{tested}");
    let refused = folder.lrnn(&["test", "run", "some.csv"]);
    assert!(refused.code == 3 && refused.err.contains("`Unknown` is no class of class"), "{}", refused.err);
    let without = folder.lrnn(&["test", "run", "new.csv"]);
    let help = "the model answers class, size; the columns of this table are id, smiles";
    assert!(without.code == 3 && without.err.contains(help), "{}", without.err);
}

#[test]
fn numbers_are_not_tested_on_classes() {
    let folder = folder("molecules other classes");
    folder.lrnn(&["train", "molecules.csv", "--target", "size", "--out", "run"]);
    folder.write("three.csv", "smiles,size\nCCCO,small\nCC,large\nCCC,medium\n");
    let tested = folder.lrnn(&["test", "run", "three.csv"]);
    assert!(tested.code == 3 && tested.err.contains("`small` is no number"), "{}", tested.err);
    let predicted = folder.lrnn(&["predict", "run", "three.csv", "--csv"]);
    assert!(
        predicted.code == 0 && predicted.err.contains("3 cells of size are no numbers"),
        "{}",
        predicted.err
    );
    assert!(predicted.out.starts_with("smiles,size,target,prediction") && !predicted.out.contains("size="));
}

#[test]
fn texts_with_tabs_are_tables_of_molecules_by_their_header() {
    let folder = folder("molecules tabs");
    let tabs = MOLECULES.replace(',', "\t");
    folder.write("molecules.tsv", &tabs);
    folder.write("named.txt", tabs.replace("smiles", "mol"));
    let trained = folder.lrnn(&["train", "molecules.tsv", "--target", "class", "--out", "run"]);
    assert!(trained.code == 0 && trained.err.contains("molecules.tsv:13:8"), "{}", trained.err);
    let named = ["train", "named.txt", "--smiles", "mol", "--target", "class", "--out", "named"];
    let trained = folder.lrnn(&named);
    assert!(trained.code == 0 && trained.err.contains("1 of 13 molecules cannot be read"), "{}", trained.err);
    let predicted = folder.lrnn(&["predict", "named", "named.txt", "--csv"]);
    assert!(predicted.out.starts_with("name,mol,class,size,target"), "{}", predicted.out);
    let validated = ["crossval", "molecules.tsv", "--target", "class", "--folds", "2", "--out", "cv"];
    assert_eq!(folder.lrnn(&[&validated[..], &["--epochs", "2"]].concat()).code, 0);
    // Triples about SMILES have no header.
    folder.write("triples.tsv", "ethanol\tsmiles\tCCO\npropane\tsmiles\tCCC\nethanol\tlike\tpropane\n");
    folder.write("own.lrnn", "near(X) :- like(X, Y), smiles(Y, _).\n");
    let checked = folder.lrnn(&["query", "own.lrnn", "triples.tsv", "near(X)"]);
    assert!(checked.out.contains("near(ethanol)"), "{} {}", checked.out, checked.err);
}

#[test]
fn cells_come_back_as_they_were() {
    let folder = folder("molecules cells");
    let table = "name,smiles,it's\n\"g\n\tx\",CCO,yes\n\u{1b}k\t,CCCO,yes\n\u{7}k\t,CC,no\n\"say \"\"hi\"\"\",CCC,no\n";
    folder.write("cells.csv", table);
    let trained = folder.lrnn(&["train", "cells.csv", "--target", "it's", "--out", "run"]);
    assert_eq!(trained.code, 0, "{}", trained.err);
    let predicted = folder.lrnn(&["predict", "run", "cells.csv", "--csv"]).out;
    for cells in
        ["\"g\n\tx\",CCO,yes,it's,", "\"\u{1b}k\t\",CCCO,", "\"\u{7}k\t\",CC,", "\"say \"\"hi\"\"\",CCC,"]
    {
        assert!(predicted.contains(&format!("\n{cells}")), "{cells:?} {predicted:?}");
    }
    let shown = folder.lrnn(&["predict", "run", "cells.csv"]).out;
    assert!(shown.contains("\ng\\n\\tx ") && shown.lines().count() == 5, "{shown}");
}

#[test]
fn targets_of_several_classes_are_one_row_beside_others() {
    let folder = folder("molecules kinds");
    let kinds = "smiles,kind,small\nCCO,alcohol,yes\nCCCCO,alcohol,no\nCC(=O)O,acid,yes\nCCCC(=O)O,acid,no\nCN,amine,yes\nCCCCN,amine,no\n";
    folder.write("kinds.csv", kinds);
    let words = ["train", "kinds.csv", "--target", "kind", "--target", "small", "--out", "run"];
    assert_eq!(folder.lrnn(&words).code, 0);
    let predicted = folder.lrnn(&["predict", "run", "kinds.csv", "--csv"]).out;
    let rows: Vec<Vec<&str>> = predicted.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(rows.len(), 13, "{predicted}");
    assert_eq!(
        rows[0][3..],
        [
            "target",
            "prediction",
            "probability",
            "class",
            "probability_acid",
            "probability_alcohol",
            "probability_amine"
        ]
    );
    assert_eq!((rows[1][3], rows[1][6], rows[2][3], rows[2][6]), ("kind", "alcohol", "small", "yes"));
    // Each target is measured by itself, and classes have their names.
    let tested = folder.lrnn(&["test", "run", "kinds.csv"]).out;
    assert!(tested.starts_with("kind\nmetric") && tested.contains("\nsmall\nmetric"), "{tested}");
    assert!(
        tested.contains("alcohol  alcohol        2") && tested.contains("taken for yes  for no"),
        "{tested}"
    );
    let shown = folder.lrnn(&["patterns", "run", "kinds.csv"]).out;
    assert!(
        shown.starts_with("raise the value of kind=acid\n") && shown.contains("small: --query"),
        "{shown}"
    );
    let other = folder.lrnn(&["patterns", "run", "kinds.csv", "--query", "kind=amine", "--json"]);
    assert_eq!(document(&other)["property"], "kind=amine", "{}", other.err);
    let sum: f64 = rows[1][7..].iter().map(|it| it.parse::<f64>().expect("a number")).sum();
    assert!((sum - 1.0).abs() < 1e-9, "{predicted}");
}
