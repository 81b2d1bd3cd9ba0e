//! Whole inductions over data whose rules are known: what the data suggests by itself, whatever its layout.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::{Mutex, PoisonError};

use lrnn::data::{DatasetBuilder, Layout};
use lrnn::train::shuffled;
use lrnn::vocabulary::Vocabulary;
use lrnn::{Dataset, Template};
use lrnn_induce::{
    GrowthJournal, GrowthOptions, InduceOptions, Induction, LatticeLimits, induce, infer_bias, validate,
};

/// Numbers that only the seed decides.
struct Draw(u64, u64);

impl Draw {
    fn below(&mut self, count: usize) -> usize {
        self.1 += 1;
        shuffled(count.max(1), &[self.0, self.1])[0]
    }
}

fn dataset(facts: &str, queries: &str, layout: Layout) -> Dataset {
    let mut builder = DatasetBuilder::new(Vocabulary::default());
    builder.text("facts", facts, layout);
    builder.queries(queries, lrnn::diagnostic::SourceId::default());
    builder.finish().unwrap_or_else(|found| panic!("{found:?}"))
}

fn learn(data: &Dataset, options: &InduceOptions) -> Induction {
    let found = induce(data, options).unwrap_or_else(|error| panic!("{error}"));
    let text = found.template();
    Template::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    found
}

fn rules(found: &Induction) -> Vec<&str> {
    found.goals[0].rules.iter().map(|rule| rule.rule.as_str()).collect()
}

/// Trains, cars and numbers of wheels are all called 1, 2, 3: trains of which a car has three wheels go east.
#[test]
fn small_integers_are_names_in_one_column_and_numbers_in_another() {
    let mut draw = Draw(1, 0);
    let (mut facts, mut queries) = (String::new(), String::new());
    for train in 1..=60 {
        let mut is_east = false;
        for car in 1..=2 + draw.below(3) {
            let wheels = 2 + usize::from(draw.below(4) == 0);
            is_east |= wheels == 3;
            let shape = ["round", "flat"][draw.below(2)];
            let _ = write!(facts, "wheels({train}, {car}, {wheels}). shape({train}, {car}, {shape}). ");
        }
        let _ = writeln!(queries, "{} east({train}).", if is_east { "1" } else { "-1" });
    }
    let data = dataset(&facts, &queries, Layout::Facts);
    let found = learn(&data, &InduceOptions::default());
    assert!(rules(&found)[0].ends_with("wheels(A, _, 3)"), "{}", found.template());
    assert!(found.goals[0].signed && found.template().contains("sum-tanh"), "{}", found.template());
}

/// Pages of one knowledge base with hundreds of words: those of courses say `w7`, or link to a page that says `w3`.
/// Three classes by a colour: the queries about one thing ask for each of them.
#[test]
fn classes_of_one_case_are_held_out_together() {
    let (mut facts, mut queries) = (String::new(), String::new());
    for thing in 0..40 {
        let class = [0, 0, 0, 1, 2][thing % 5];
        let _ = writeln!(facts, "colour(t{thing}, c{class}).");
        // In another order for each.
        for at in (thing..thing + 3).map(|at| at % 3) {
            let _ = writeln!(queries, "{} kind(t{thing}, k{at}).", u8::from(at == class));
        }
    }
    let data = dataset(&facts, &queries, Layout::Facts);
    let cases = Mutex::new(BTreeMap::<u32, BTreeMap<String, Vec<usize>>>::new());
    let found =
        validate(&data, &InduceOptions { folds: Some(4), ..InduceOptions::default() }, &[], &|fold| {
            let mut cases = cases.lock().unwrap_or_else(PoisonError::into_inner);
            let own = cases.entry(fold.fold).or_default();
            fold.answers
                .iter()
                .for_each(|answer| own.entry(answer.case.clone()).or_default().push(fold.goal));
            Ok(())
        });
    let found = found.unwrap_or_else(|error| panic!("{error}"));
    let cases = cases.into_inner().unwrap_or_else(PoisonError::into_inner);
    assert_eq!(cases.len(), 4);
    for fold in cases.values() {
        assert_eq!(fold.len(), 10, "{fold:?}");
        assert!(fold.values().all(|goals| goals.len() == 3), "{fold:?}");
    }
    assert_eq!((found.all.accuracy, found.majority), (Some(1.0), Some(0.6)));
}

/// What is printed for two predicates, and once for the classes of a third, is read for each.
#[test]
fn the_bias_of_several_predicates_is_read_back() {
    let (mut facts, mut queries) = (String::new(), String::new());
    for thing in 0..30 {
        let class = thing % 3;
        let _ = writeln!(facts, "colour(t{thing}, c{class}). size(t{thing}, {}).", thing % 2);
        let _ = writeln!(queries, "{} red(t{thing}).", u8::from(class == 0));
        let _ = writeln!(queries, "{} odd(t{thing}).", thing % 2);
        (0..3).for_each(|at| {
            let _ = writeln!(queries, "{} kind(t{thing}, k{at}).", u8::from(at == class));
        });
    }
    let data = dataset(&facts, &queries, Layout::Facts);
    let texts = infer_bias(&data, &InduceOptions::default()).expect("a bias");
    assert_eq!(texts.len(), 3);
    let inferred = learn(&data, &InduceOptions::default()).template();
    let bias = Some(texts.join("\n"));
    let given = learn(&data, &InduceOptions { bias, ..InduceOptions::default() }).template();
    assert_eq!(inferred, given);
    assert!(given.contains("odd(A) :- size(A, 1)") || given.contains("odd(A) :- size(A, 0)"), "{given}");
}

#[test]
fn words_may_stand_in_rules() {
    let mut draw = Draw(2, 0);
    let (mut facts, mut queries) = (String::new(), String::new());
    let words: Vec<Vec<usize>> = (0..150).map(|_| (0..8).map(|_| draw.below(90)).collect()).collect();
    let says = |page: usize, word: usize| words[page].contains(&word) || page % 9 == word;
    for page in 0..150 {
        let next = draw.below(150);
        let _ = write!(facts, "link(p{page}, p{next}). ");
        (0..90).filter(|&word| says(page, word)).for_each(|word| {
            let _ = write!(facts, "has(p{page}, w{word}). ");
        });
        let is_course = says(page, 7) || says(next, 3);
        let _ = writeln!(queries, "{} course(p{page}).", u8::from(is_course));
    }
    let data = dataset(&facts, &queries, Layout::Facts);
    let bias = infer_bias(&data, &InduceOptions::default()).expect("a bias").join("\n");
    assert!(bias.contains(":- mode(has(-, *))."), "{bias}");
    let found = learn(&data, &InduceOptions::default());
    let all = rules(&found).join("\n");
    assert!(all.contains("course(A) :- has(A, w7)"), "{all}");
    assert!(all.contains("w3") && all.contains("link("), "{all}");
}

/// One pair in a hundred is true: the search takes some of the others, and weights are fitted to all.
#[test]
fn a_rare_answer_is_searched_with_a_sample() {
    let mut draw = Draw(3, 0);
    let (mut facts, mut queries) = (String::new(), String::new());
    for person in 0..70 {
        let _ = write!(facts, "lives(p{person}, h{}). ", person / 2);
        let _ = write!(facts, "{}(p{person}). ", ["old", "young"][draw.below(2)]);
    }
    for one in 0..70 {
        for other in (0..70).filter(|&other| other != one) {
            let _ = writeln!(queries, "{} mate(p{one}, p{other}).", u8::from(one / 2 == other / 2));
        }
    }
    let data = dataset(&facts, &queries, Layout::Facts);
    let found = learn(&data, &InduceOptions::default());
    assert_eq!(found.goals[0].queries.0, 70 * 69);
    let first = &found.goals[0].rules[0];
    assert_eq!(first.rule, "mate(A, B) :- lives(A, C), lives(B, C)", "{}", found.template());
    assert_eq!((first.support, first.precision), (70, 1.0));
    let scores = validate(&data, &InduceOptions::default(), &[], &|_| Ok(())).expect("scores");
    assert_eq!((scores.all.queries, scores.all.average_precision), (70 * 69, Some(1.0)));
    assert!(scores.mirrors > 3000 && scores.notes().join(" ").contains("the other way round"));
}

/// Who is held out is named by no query that is learned from, at either place.
#[test]
fn individuals_that_are_held_out_are_not_learned_from() {
    let (mut facts, mut queries, mut pairs) = (String::new(), String::new(), Vec::new());
    for one in 0..24 {
        let _ = write!(facts, "size(p{one}, {}). ", one % 5);
        for other in (0..24).filter(|other| (one + other) % 3 == 1) {
            let _ = writeln!(queries, "{} above(p{one}, p{other}).", u8::from(one % 5 > other % 5));
            pairs.push((one, other));
        }
    }
    let data = dataset(&facts, &queries, Layout::Facts);
    let options = InduceOptions { group: Some(1), folds: Some(6), ..InduceOptions::default() };
    let folds = Mutex::new(Vec::new());
    let scores = validate(&data, &options, &[], &|fold| {
        folds.lock().expect("no panic").push(fold.clone());
        Ok(())
    });
    for fold in folds.into_inner().expect("no panic") {
        let held =
            |name: usize| fold.answers.iter().any(|answer| answer.query.contains(&format!("(p{name},")));
        let left_out = pairs.iter().filter(|&&(one, other)| !held(one) && held(other)).count();
        assert!(left_out > 0);
        assert_eq!(fold.left_out, left_out);
    }
    let scores = scores.expect("scores");
    assert_eq!(scores.mirrors, 0);
    assert!(scores.notes().join(" ").contains("name an individual that is held out"));

    let two = InduceOptions { folds: Some(2), ..options };
    let alone = dataset("big(a). big(b).", "1 above(a, b).\n0 above(b, a).\n", Layout::Facts);
    let error = validate(&alone, &two, &[], &|_| Ok(())).expect_err("nothing is left to learn from");
    assert!(error.to_string().contains("leaves nothing to learn from"), "{error}");
}

/// Boxes are good in which two parts of a hidden group of materials touch.
fn boxes() -> Dataset {
    let mut draw = Draw(4, 0);
    let (mut facts, mut queries) = (String::new(), String::new());
    for number in 0..160 {
        let parts: Vec<usize> = (0..4).map(|_| draw.below(10)).collect();
        let is_good = (0..3).any(|at| parts[at] < 4 && parts[at + 1] < 4);
        let mut all: Vec<String> = (0..4).map(|at| format!("made(b{number}_{at}, m{})", parts[at])).collect();
        for at in 0..3 {
            all.push(format!("touch(b{number}_{at}, b{number}_{})", at + 1));
            all.push(format!("touch(b{number}_{}, b{number}_{at})", at + 1));
        }
        facts += &(all.join(", ") + ".\n");
        let _ = writeln!(queries, "{} good.", u8::from(is_good));
    }
    dataset(&facts, &queries, Layout::Examples)
}

#[test]
fn soft_rules_find_the_group_behind_the_values() {
    let data = boxes();
    let found = learn(&data, &InduceOptions { soft: true, ..InduceOptions::default() });
    let soft = found.goals[0].soft.as_ref().unwrap_or_else(|| panic!("{}", found.template()));
    assert!(soft.inner_losses.1 < soft.inner_losses.0, "{:?}", soft.inner_losses);
    let text = found.soft_template().expect("a template");
    let template = Template::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert!(text.contains("like_m") && text.contains("combination = product"), "{text}");
    // What is written answers better than crisp rules do.
    let wrong = |template: &Template| {
        let data = data.renumbered(template.vocabulary.clone());
        let settings = lrnn::Settings { epochs: 0, ..lrnn::Settings::default() };
        let fitted = lrnn::fit(template, &data, &settings).unwrap_or_else(|error| panic!("{error}"));
        fitted.scores[0].1.measure.wrong
    };
    let crisp = Template::parse(&found.template()).expect("a template");
    assert!(wrong(&template) <= wrong(&crisp), "{} {}\n{text}", wrong(&template), wrong(&crisp));
}

#[test]
fn a_budget_of_clauses_ends_growth_at_the_same_rule() {
    let data = boxes();
    let with = |clauses: Option<u64>, threads: usize| {
        let growth = GrowthOptions { clauses, l2: Some(1.0), ..GrowthOptions::default() };
        let threads = lrnn::threads::Threads::new(Some(threads)).expect("threads");
        threads.run(|| learn(&data, &InduceOptions { growth, ..InduceOptions::default() }))
    };
    let (whole, one, two) = (with(None, 1), with(Some(2000), 1), with(Some(2000), 2));
    assert!(one.goals[0].is_cut_short && !whole.goals[0].is_cut_short);
    assert_eq!(one.goals[0].rules, two.goals[0].rules);
    let count = one.goals[0].rules.len();
    assert!(count > 0 && count < whole.goals[0].rules.len(), "{count}");
}

#[test]
fn few_steps_find_the_same_rules_on_any_thread_and_after_a_stop() {
    let data = boxes();
    let path = std::env::temp_dir().join(format!("lrnn-induce-steps-{}.jsonl", std::process::id()));
    let with = |steps: Option<u64>, threads: usize, journal: GrowthJournal| {
        let growth = GrowthOptions { steps, ..GrowthOptions::default() };
        let threads = lrnn::threads::Threads::new(Some(threads)).expect("threads");
        threads.run(|| learn(&data, &InduceOptions { growth, journal, ..InduceOptions::default() }))
    };
    let none = GrowthJournal::default;
    let whole = with(None, 2, none());
    assert_eq!(whole.goals[0].count.note(), None);
    let few = Some(whole.goals[0].count.steps / 20);
    let (one, two) = (with(few, 1, none()), with(few, 2, none()));
    assert_eq!(one.template(), two.template());
    assert_eq!(one.goals[0].count, two.goals[0].count);
    let note = one.notes().pop().expect("a note");
    assert!(note.contains("clauses were not refined") && note.contains("--max-seconds"), "{note}");
    assert!(one.goals[0].count.steps < whole.goals[0].count.steps / 4, "{:?}", one.goals[0].count);
    // Stopped after the third growth.
    let journal = || GrowthJournal::open(&path, "boxes").expect("a journal");
    assert_eq!(with(few, 2, journal()).template(), one.template());
    let text = std::fs::read_to_string(&path).expect("a journal");
    std::fs::write(&path, text.lines().take(4).collect::<Vec<_>>().join("\n") + "\n").expect("a journal");
    let again = with(few, 2, journal());
    assert_eq!((again.template(), again.goals[0].count), (one.template(), one.goals[0].count));
    std::fs::remove_file(&path).expect("no journal");
}

/// Shops of which one ordered after the middle of the year stay.
#[test]
fn dates_have_cut_points() {
    let mut draw = Draw(5, 0);
    let (mut facts, mut queries) = (String::new(), String::new());
    for shop in 0..120 {
        let mut last = 0;
        for order in 0..1 + draw.below(4) {
            let month = 1 + draw.below(9);
            last = last.max(month);
            let _ = write!(facts, "ordered(o{shop}_{order}, '2024-0{month}-{:02}'). ", 1 + draw.below(28));
            let _ = write!(facts, "by(o{shop}_{order}, s{shop}). ");
        }
        let _ = writeln!(queries, "{} stays(s{shop}).", u8::from(last >= 7));
    }
    let found = learn(&dataset(&facts, &queries, Layout::Facts), &InduceOptions::default());
    let first = rules(&found)[0];
    assert!(first.contains(">= '2024-0") && found.goals[0].rules[0].weight > 0.0, "{}", found.template());
    assert!(found.goals[0].rules[0].error < 0.1, "{}", found.template());
}

/// Boxes in which a part is of any colour but red, out of nine.
#[test]
fn negation_tests_values_too() {
    let mut draw = Draw(6, 0);
    let (mut facts, mut queries) = (String::new(), String::new());
    for number in 0..200 {
        let mut is_other = false;
        for part in 0..3 {
            let colour = draw.below(40).saturating_sub(31);
            is_other |= colour > 0;
            let colour = ["red", "c1", "c2", "c3", "c4", "c5", "c6", "c7", "c8"][colour];
            let _ = write!(facts, "part(b{number}, p{number}_{part}). colour(p{number}_{part}, {colour}). ");
        }
        let _ = writeln!(queries, "{} mixed(b{number}).", u8::from(is_other));
    }
    let data = dataset(&facts, &queries, Layout::Facts);
    let limits = LatticeLimits { negation: true, counts: false, ..LatticeLimits::default() };
    let found = learn(&data, &InduceOptions { limits, ..InduceOptions::default() });
    assert_eq!(rules(&found), ["mixed(A) :- part(A, B), not colour(B, red)"], "{}", found.template());
}

#[test]
fn learning_that_was_killed_goes_on_to_the_same_rules() {
    let data = boxes();
    let name = format!("lrnn-induce-{}.jsonl", std::process::id());
    let path = std::env::temp_dir().join(name);
    let with = |inputs: &str| {
        let journal = GrowthJournal::open(&path, inputs)?;
        Ok::<_, lrnn::Error>(learn(&data, &InduceOptions { journal, ..InduceOptions::default() }))
    };
    let whole = with("boxes").expect("rules");
    let text = std::fs::read_to_string(&path).expect("a journal");
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines.len() > 10, "{text}");
    // Killed while it wrote the sixth growth.
    let kept = lines[..6].join("\n") + "\n" + &lines[6][..lines[6].len() / 2];
    std::fs::write(&path, kept).expect("a journal");
    let again = with("boxes").expect("rules");
    assert_eq!(again.template(), whole.template());
    assert!(again.goals[0].compared < whole.goals[0].compared, "nothing was known");
    let error = with("other boxes").expect_err("another run").to_string();
    assert!(error.contains("begun with other data"), "{error}");
    std::fs::remove_file(&path).expect("no journal");
}
