//! The bias of the search: types of columns, which constants may stand in rules, what a literal must know when it is
//! added. All of it is inferred from the data, printed as directives, and read back where a person has edited them.

use std::collections::BTreeSet;
use std::fmt::Write;

use lrnn::vocabulary::Constant;
use lrnn::{Error, ErrorKind};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::clause::{is_date, number};
use crate::directive::{DirectiveTerm, read_directives};
use crate::facts::{FactIndex, mark};
use crate::foreign_bias;

/// A type of constants: the columns that share some.
#[derive(Clone, PartialEq, Debug)]
pub struct ConstantType {
    /// Its name, after a column.
    pub name: String,
    /// True if its constants may stand in rules.
    pub values: bool,
    /// True if its constants are numbers or dates that rules compare with cut points.
    pub numeric: bool,
    /// True if variables of it stand for different individuals.
    pub distinct: bool,
    /// Number of its columns.
    pub columns: usize,
    /// True if facts speak of its constants without any individual, such as an order of them.
    pub described: bool,
    /// True if two individuals may be compared by having the same of its constants.
    pub shared: bool,
}

impl ConstantType {
    /// Tells whether its constants are individuals, which lead to other individuals.
    pub fn is_individual(&self) -> bool {
        !self.numeric && (self.distinct || !self.values)
    }

    /// Tells whether literals to come may speak of a new variable of it.
    pub fn is_live(&self) -> bool {
        self.numeric || !self.values || self.described || self.shared
    }
}

/// A way in which an argument of a new literal is found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ArgumentMode {
    /// `+`: a variable of the clause.
    Bound,
    /// `-`: a variable of the clause, or a new one.
    Any,
    /// `#`: a constant.
    Constant,
    /// `*`: a constant, a variable of the clause, or a new one.
    Free,
}

impl ArgumentMode {
    const ALL: [(char, Self); 4] =
        [('+', Self::Bound), ('-', Self::Any), ('#', Self::Constant), ('*', Self::Free)];

    fn text(self) -> char {
        Self::ALL.iter().find(|(_, mode)| *mode == self).map_or('-', |(text, _)| *text)
    }

    /// Tells whether it may be a constant.
    pub fn takes_constants(self) -> bool {
        matches!(self, Self::Constant | Self::Free)
    }

    /// Tells whether it may be a variable of the clause.
    pub fn takes_bound(self) -> bool {
        self != Self::Constant
    }

    /// Tells whether it may be a new variable.
    pub fn takes_new(self) -> bool {
        matches!(self, Self::Any | Self::Free)
    }
}

/// The bias about one relation.
#[derive(Clone, PartialEq, Debug)]
pub struct RelationBias {
    /// By column: its type.
    pub types: Vec<u16>,
    /// By column: how an argument is found.
    pub modes: Vec<ArgumentMode>,
    /// True if rules do not speak of it.
    pub is_forbidden: bool,
    /// True if another relation says the same with a value: `atom_type(a1, c_27)` for `c_27(a1)`.
    pub is_repeated: bool,
    /// By column: true if it settles all others.
    pub keys: Vec<bool>,
    /// Two columns that can change places in every fact.
    pub symmetric: Option<(usize, usize)>,
}

/// The bias of a search.
#[derive(Clone, PartialEq, Debug)]
pub struct Bias {
    /// The types.
    pub types: Vec<ConstantType>,
    /// By column of the head: its type.
    pub head: Vec<u16>,
    /// By relation of the [`FactIndex`].
    pub relations: Vec<RelationBias>,
}

/// A type with more constants than this has no values in a single example.
const MOST_VALUES: usize = 40;
/// Numbers beyond this many are compared, not named.
const MOST_NUMBERS: usize = 12;
/// A type of so many constants has values in a single example if a column names each often.
const MOST_WORDS: usize = 5000;
/// Mean number of rows of such a constant at least.
const ROWS_OF_WORD: u32 = 8;
/// Mean number of rows of a small integer that is no name at least.
const ROWS_OF_SMALL: u32 = 3;
/// Values in more columns are not looked for in two of them at once.
const MOST_SHARED: usize = 3;

impl Bias {
    /// Infers the bias from data.
    pub fn infer(facts: &FactIndex) -> Self {
        let columns = Columns::of(facts);
        let types = columns.types(facts);
        let count = types.iter().map(|&kind| kind as usize + 1).max().unwrap_or(0);
        let mut kinds: Vec<ConstantType> =
            (0..count).map(|kind| columns.constant_type(facts, &types, kind as u16)).collect();
        name_types(&mut kinds);
        let width = facts.queries.first().map_or(0, |query| query.terms.len());
        let mut next = width;
        let relation = |arity: usize, number: usize| {
            let types = types[next..next + arity].to_vec();
            next += arity;
            relation_bias(facts, number, types, &kinds)
        };
        let mut relation = relation;
        let relations: Vec<RelationBias> =
            facts.relations.iter().enumerate().map(|(number, known)| relation(known.arity, number)).collect();
        let mut bias = Self { head: types[..width].to_vec(), types: kinds, relations };
        bias.forbid_repeated(facts);
        bias.describe();
        bias
    }

    /// Forbids relations with one term that hold of those individuals that have some value.
    fn forbid_repeated(&mut self, facts: &FactIndex) {
        // Sets of individuals as their number and the sum of their marks.
        let mut sets: FxHashSet<(u16, u32, u64)> = FxHashSet::default();
        for (known, bias) in facts.relations.iter().zip(&self.relations).filter(|(known, _)| known.arity == 2)
        {
            if !self.types[bias.types[1] as usize].values {
                continue;
            }
            let mut by_value: FxHashMap<u32, (u32, u64)> = FxHashMap::default();
            for row in (0..known.len() as u32).map(|row| known.row(row)) {
                let set = by_value.entry(facts.values[row[1] as usize]).or_default();
                *set = (set.0 + 1, set.1.wrapping_add(mark(&[u64::from(row[0])])));
            }
            sets.extend(by_value.into_values().map(|(count, sum)| (bias.types[0], count, sum)));
        }
        for (known, bias) in
            facts.relations.iter().zip(&mut self.relations).filter(|(known, _)| known.arity == 1)
        {
            let sum = known.terms.iter().map(|&term| mark(&[u64::from(term)])).fold(0, u64::wrapping_add);
            bias.is_repeated = sets.contains(&(bias.types[0], known.len() as u32, sum));
            bias.is_forbidden = bias.is_repeated;
        }
    }

    /// Finds the types that facts describe, and how many columns each has. That two values are the same is worth a look
    /// where few columns can have them, or where queries ask for two individuals.
    fn describe(&mut self) {
        let Self { types, head, relations } = self;
        types.iter_mut().for_each(|kind| (kind.described, kind.columns) = (false, 0));
        head.iter().for_each(|&kind| types[kind as usize].columns += 1);
        for known in relations.iter() {
            known.types.iter().for_each(|&kind| types[kind as usize].columns += 1);
            if !known.types.iter().any(|&kind| types[kind as usize].is_individual()) {
                known.types.iter().for_each(|&kind| types[kind as usize].described = true);
            }
        }
        let least = if head.len() > 1 { 1 } else { 2 };
        types.iter_mut().for_each(|kind| kind.shared = (least..=MOST_SHARED).contains(&kind.columns));
    }

    /// Returns the bias as directives, ready to edit.
    pub fn text(&self, facts: &FactIndex) -> String {
        let mut text = format!("% What rules about {} may say, as the data suggests it.\n", facts.goal_name);
        let names = |types: &[u16]| -> String {
            let names: Vec<&str> =
                types.iter().map(|&kind| self.types[kind as usize].name.as_str()).collect();
            if names.is_empty() { String::new() } else { format!("({})", names.join(", ")) }
        };
        let _ = writeln!(text, "\n% Columns of one type share constants.");
        let _ = writeln!(text, ":- type({}{}).", facts.goal_name, names(&self.head));
        for (known, relation) in facts
            .relations
            .iter()
            .zip(&self.relations)
            .filter(|(known, it)| known.arity > 0 && !it.is_repeated)
        {
            let _ = writeln!(text, ":- type({}{}).", known.name, names(&relation.types));
        }
        let _ = writeln!(text, "\n% Constants of these types may stand in rules.");
        let of = |is: fn(&ConstantType) -> bool| self.types.iter().filter(move |kind| is(kind));
        of(|kind| kind.values).for_each(|kind| text.push_str(&format!(":- values({}).\n", kind.name)));
        let _ = writeln!(text, "\n% Numbers of these types are compared with cut points.");
        of(|kind| kind.numeric).for_each(|kind| text.push_str(&format!(":- numeric({}).\n", kind.name)));
        let _ = writeln!(text, "\n% Variables of these types stand for different individuals.");
        of(|kind| kind.distinct).for_each(|kind| text.push_str(&format!(":- distinct({}).\n", kind.name)));
        let _ = writeln!(
            text,
            "\n% Arguments: + a variable of the rule, - that or a new one, # a constant, * any of them. What has no line here is \
             left out."
        );
        for (known, relation) in facts.relations.iter().zip(&self.relations) {
            let modes: Vec<String> = relation.modes.iter().map(|mode| mode.text().to_string()).collect();
            if relation.is_repeated && relation.is_forbidden {
                continue;
            } else if relation.is_forbidden {
                let _ = writeln!(text, ":- forbid({}/{}).", known.name, known.arity);
            } else if known.arity > 0 {
                let _ = writeln!(text, ":- mode({}({})).{}", known.name, modes.join(", "), remark(relation));
            }
        }
        let repeated =
            facts.relations.iter().zip(&self.relations).filter(|(_, it)| it.is_repeated && it.is_forbidden);
        let repeated: Vec<String> =
            repeated.map(|(known, _)| format!("{}/{}", known.name, known.arity)).collect();
        if !repeated.is_empty() {
            let _ =
                writeln!(text, "\n% Left out, as another relation says the same: {}", repeated.join(", "));
        }
        text
    }

    /// Changes what directives say otherwise. Types that are named in one are those of all that name them; those of
    /// other predicates that queries ask for are none of its own.
    fn edit(&mut self, text: &str, facts: &FactIndex, asked: &[String]) -> Result<(), Error> {
        for directive in read_directives(text)? {
            let line = directive.line;
            let wrong = |message: String| {
                Error::new(ErrorKind::Content, format!("line {line} of the bias: {message}"))
            };
            let [argument] = &directive.arguments[..] else {
                return Err(wrong(format!("`{}` takes one argument", directive.name)));
            };
            match directive.name.as_str() {
                "type" => self.edit_type(argument, facts, asked).map_err(wrong)?,
                "mode" => self.edit_mode(argument, facts).map_err(wrong)?,
                "forbid" => {
                    let relation = self.relation(argument, facts).map_err(wrong)?;
                    self.relations[relation].is_forbidden = true;
                }
                "values" => self.kind(&argument.name).map_err(wrong)?.values = true,
                "numeric" => self.kind(&argument.name).map_err(wrong)?.numeric = true,
                "distinct" => self.kind(&argument.name).map_err(wrong)?.distinct = true,
                other => {
                    let names = ["type", "mode", "forbid", "values", "numeric", "distinct"];
                    let near = lrnn::diagnostic::did_you_mean(other, names);
                    let help = near.unwrap_or_else(|| format!("there are {}", names.join(", ")));
                    return Err(wrong(format!("there is no directive `{other}`")).help(help));
                }
            }
        }
        self.describe();
        Ok(())
    }

    /// Returns the bias that directives say, ours or those of Aleph and Popper, inferred where they say nothing. What they
    /// say of types is all that is true of these: a type that is not among the values any more has none. Where they
    /// have types and modes, relations without a mode are forbidden. `asked` are the predicates that queries ask for.
    pub fn read(text: &str, facts: &FactIndex, asked: &[String]) -> Result<Self, Error> {
        let mut bias = Self::infer(facts);
        let translated = foreign_bias::directives(text, facts);
        let text = translated.as_deref().unwrap_or(text);
        let directives = read_directives(text)?;
        let has = |name: &str| directives.iter().any(|directive| directive.name == name);
        if has("type") {
            for kind in &mut bias.types {
                (kind.values, kind.numeric, kind.distinct) = (false, false, false);
            }
        }
        if has("type") && has("mode") {
            for (known, relation) in facts.relations.iter().zip(&mut bias.relations) {
                relation.is_forbidden |= known.arity > 0;
            }
        }
        bias.edit(text, facts, asked)?;
        Ok(bias)
    }

    fn kind(&mut self, name: &str) -> Result<&mut ConstantType, String> {
        let names: Vec<String> = self.types.iter().map(|kind| kind.name.clone()).collect();
        self.types.iter_mut().find(|kind| kind.name == name).ok_or_else(|| {
            let near = lrnn::diagnostic::did_you_mean(name, names.iter().map(String::as_str));
            format!(
                "there is no type `{name}`; {}",
                near.unwrap_or_else(|| format!("there are {}", names.join(", ")))
            )
        })
    }

    /// Returns the number of the relation that `p/2`, `p(a, b)` or `p` speaks of.
    fn relation(&self, term: &DirectiveTerm, facts: &FactIndex) -> Result<usize, String> {
        let arity = term.arity.unwrap_or(term.arguments.len());
        let found = facts.relations.iter().position(|known| known.name == term.name && known.arity == arity);
        found.ok_or_else(|| format!("the data has no facts of `{}/{arity}`", term.name))
    }

    fn edit_type(&mut self, term: &DirectiveTerm, facts: &FactIndex, asked: &[String]) -> Result<(), String> {
        let numbers: Vec<u16> = term
            .arguments
            .iter()
            .map(|argument| {
                let known = self.types.iter().position(|kind| kind.name == argument.name);
                known.unwrap_or_else(|| {
                    self.types.push(ConstantType {
                        name: argument.name.clone(),
                        values: false,
                        numeric: false,
                        distinct: false,
                        columns: 0,
                        described: false,
                        shared: false,
                    });
                    self.types.len() - 1
                }) as u16
            })
            .collect();
        if term.name == facts.goal_name && numbers.len() == self.head.len() {
            self.head = numbers;
            return Ok(());
        }
        match self.relation(term, facts) {
            Ok(relation) => self.relations[relation].types = numbers,
            Err(_) if asked.contains(&term.name) => {}
            Err(message) => return Err(message),
        }
        Ok(())
    }

    fn edit_mode(&mut self, term: &DirectiveTerm, facts: &FactIndex) -> Result<(), String> {
        let relation = self.relation(term, facts)?;
        let mode = |argument: &DirectiveTerm| {
            let found = ArgumentMode::ALL.iter().find(|(text, _)| argument.name == text.to_string());
            found
                .map(|(_, mode)| *mode)
                .ok_or_else(|| format!("`{}` is no mode: there are + - # *", argument.name))
        };
        self.relations[relation].modes = term.arguments.iter().map(mode).collect::<Result<_, _>>()?;
        self.relations[relation].is_forbidden = false;
        Ok(())
    }
}

/// Returns what is said behind a mode about columns that settle the others or change places.
fn remark(relation: &RelationBias) -> String {
    let keys = relation.keys.iter().enumerate().filter(|(_, key)| **key);
    let keys: Vec<String> = keys.map(|(at, _)| (at + 1).to_string()).collect();
    let mut remarks = Vec::new();
    if relation.modes.len() > 1 && !keys.is_empty() {
        remarks.push(format!("argument {} settles the others", keys.join(" or ")));
    }
    if let Some((one, other)) = relation.symmetric {
        remarks.push(format!("arguments {} and {} change places", one + 1, other + 1));
    }
    if remarks.is_empty() { String::new() } else { format!("  % {}", remarks.join("; ")) }
}

fn relation_bias(facts: &FactIndex, number: usize, types: Vec<u16>, kinds: &[ConstantType]) -> RelationBias {
    let known = &facts.relations[number];
    let is_value = |kind: u16| !kinds[kind as usize].is_individual();
    // An order of values, such as `gt(2, 1)`, tells something of two that are known.
    let compares = known.arity == 2 && types[0] == types[1] && is_value(types[0]);
    let mode = |&kind: &u16| match &kinds[kind as usize] {
        _ if compares || is_reflexive(known) => ArgumentMode::Bound,
        kind if kind.values => ArgumentMode::Free,
        _ => ArgumentMode::Any,
    };
    let modes = types.iter().map(mode).collect();
    let keys = (0..known.arity).map(|column| is_key(known, column)).collect();
    let symmetric = symmetric(known, &types);
    RelationBias { types, modes, is_forbidden: false, is_repeated: false, keys, symmetric }
}

/// Tells whether all facts say that something is itself.
fn is_reflexive(known: &crate::facts::RelationFacts) -> bool {
    let is_same = |row: u32| known.row(row).windows(2).all(|pair| pair[0] == pair[1]);
    known.arity > 1 && (0..known.len() as u32).all(is_same)
}

/// Returns two columns of one type that can change places in every fact.
fn symmetric(known: &crate::facts::RelationFacts, types: &[u16]) -> Option<(usize, usize)> {
    let pairs = (0..types.len()).flat_map(|one| (one + 1..types.len()).map(move |other| (one, other)));
    let rows: FxHashSet<&[u32]> = (0..known.len() as u32).map(|row| known.row(row)).collect();
    pairs.filter(|&(one, other)| types[one] == types[other]).find(|&(one, other)| {
        (0..known.len() as u32).all(|row| {
            let mut turned = known.row(row).to_vec();
            turned.swap(one, other);
            rows.contains(&turned[..])
        })
    })
}

/// Tells whether no constant stands twice in a column.
fn is_key(known: &crate::facts::RelationFacts, column: usize) -> bool {
    let mut seen = BTreeSet::new();
    known.terms.iter().skip(column).step_by(known.arity).all(|&individual| seen.insert(individual))
}

/// The columns of head and relations, with the constants of each.
struct Columns {
    /// By column: its name, and its constants with the rows and examples of each.
    all: Vec<(String, FxHashMap<u32, ConstantUse>)>,
    head: usize,
}

/// The places of a constant in a column.
#[derive(Clone, Default)]
struct ConstantUse {
    rows: u32,
    /// First and last example.
    examples: (u32, u32),
}

impl Columns {
    fn of(facts: &FactIndex) -> Self {
        let head = facts.queries.first().map_or(0, |query| query.terms.len());
        let mut all = Vec::new();
        let add = |uses: &mut FxHashMap<u32, ConstantUse>, individual: u32, example: u32| {
            let value = facts.values[individual as usize];
            let entry = uses.entry(value).or_insert(ConstantUse { rows: 0, examples: (example, example) });
            entry.rows += 1;
            entry.examples.1 = example;
        };
        for column in 0..head {
            let mut uses = FxHashMap::default();
            facts.queries.iter().for_each(|query| add(&mut uses, query.terms[column], query.example));
            all.push((format!("{}_{}", facts.goal_name, column + 1), uses));
        }
        for relation in &facts.relations {
            let first = all.len();
            let name = |column: usize| match relation.arity {
                1 => relation.name.clone(),
                _ => format!("{}_{}", relation.name, column + 1),
            };
            all.extend((0..relation.arity).map(|column| (name(column), FxHashMap::default())));
            for example in 0..facts.example_count() as u32 {
                for row in relation.rows_of(example) {
                    let columns = all[first..].iter_mut().zip(relation.row(row));
                    columns.for_each(|((_, uses), &individual)| add(uses, individual, example));
                }
            }
        }
        Self { all, head }
    }

    /// Returns the type of each column: columns that share a constant have one type. Small integers that are the
    /// names of individuals in one column and say how many in another are of two types.
    fn types(&self, facts: &FactIndex) -> Vec<u16> {
        let types = self.shared_types(facts, &[]);
        let widest = |kind: u16| {
            let own = self.all.iter().zip(&types).filter(|(_, own)| **own == kind);
            own.map(|((_, uses), _)| uses.len()).max().unwrap_or(0)
        };
        let is_small = |column: usize| {
            let uses = &self.all[column].1;
            let is_integer = |value: &u32| matches!(facts.constants[*value as usize], Constant::Integer(_));
            let rows: u32 = uses.values().map(|used| used.rows).sum();
            column >= self.head
                && !uses.is_empty()
                && uses.len() <= MOST_NUMBERS
                && rows >= ROWS_OF_SMALL * uses.len() as u32
                && uses.keys().all(is_integer)
                && 2 * uses.len() < widest(types[column])
        };
        let small: Vec<bool> = (0..self.all.len()).map(is_small).collect();
        if small.contains(&true) { self.shared_types(facts, &small) } else { types }
    }

    /// Returns the type of each column: those that share a constant have one, but for some that have theirs among
    /// themselves.
    fn shared_types(&self, facts: &FactIndex, apart: &[bool]) -> Vec<u16> {
        let mut parent: Vec<usize> = (0..self.all.len()).collect();
        fn find(parent: &mut [usize], at: usize) -> usize {
            let up = parent[at];
            if up == at {
                return at;
            }
            let root = find(parent, up);
            parent[at] = root;
            root
        }
        let mut firsts = [vec![usize::MAX; facts.constants.len()], vec![usize::MAX; facts.constants.len()]];
        for (column, (_, uses)) in self.all.iter().enumerate() {
            // Which column a constant was first seen in does not change the classes.
            let mut values: Vec<u32> = uses.keys().copied().collect();
            values.sort_unstable();
            let first = &mut firsts[usize::from(apart.get(column).is_some_and(|apart| *apart))];
            for value in values {
                let seen = &mut first[value as usize];
                if *seen == usize::MAX {
                    *seen = column;
                } else {
                    let (one, other) = (find(&mut parent, *seen), find(&mut parent, column));
                    parent[one.max(other)] = one.min(other);
                }
            }
        }
        let mut numbers = vec![u16::MAX; self.all.len()];
        let mut next = 0;
        (0..self.all.len())
            .map(|column| {
                let root = find(&mut parent, column);
                if numbers[root] == u16::MAX {
                    numbers[root] = next;
                    next += 1;
                }
                numbers[root]
            })
            .collect()
    }

    fn constant_type(&self, facts: &FactIndex, types: &[u16], kind: u16) -> ConstantType {
        let own: Vec<usize> = (0..types.len()).filter(|&column| types[column] == kind).collect();
        // Named after the widest relation that has it: `bond_1` says more than one of many kinds of atoms.
        let named = own.iter().copied().filter(|&column| column >= self.head).max_by_key(|&column| {
            let (name, uses) = &self.all[column];
            (uses.values().map(|used| used.rows).sum::<u32>(), std::cmp::Reverse(name.clone()))
        });
        let name = self.all[named.unwrap_or(own[0])].0.clone();
        let is_of_head = own.iter().any(|&column| column < self.head);
        let mut constants: BTreeSet<u32> = BTreeSet::new();
        own.iter().for_each(|&column| constants.extend(self.all[column].1.keys()));
        let is_ordered = |constant: &Constant| number(constant).is_some() || is_date(constant);
        let all_ordered = constants.iter().all(|&value| is_ordered(&facts.constants[value as usize]));
        let numeric = all_ordered && constants.len() > MOST_NUMBERS && !is_of_head;
        let is_alone = facts.example_count() == 1;
        let recurs = match is_alone {
            true => self.recurs_in_rows(&own, constants.len()),
            false => self.recurs_in_examples(&own, &constants) && !self.is_local(facts, &own),
        };
        let is_word = is_alone && !recurs && self.is_often_named(&own, constants.len());
        let values = (recurs || is_word) && !is_of_head && !numeric;
        let distinct = (!values || is_word) && !numeric;
        ConstantType { name, values, numeric, distinct, columns: own.len(), described: false, shared: false }
    }

    /// Tells whether a column names each of many constants often, as that of words does.
    fn is_often_named(&self, own: &[usize], constants: usize) -> bool {
        let is_often = |&column: &usize| {
            let uses = &self.all[column].1;
            let rows: u32 = uses.values().map(|used| used.rows).sum();
            2 * uses.len() > constants && rows >= ROWS_OF_WORD * uses.len() as u32
        };
        constants <= MOST_WORDS && own.iter().any(is_often)
    }

    /// Tells whether the constants are few, and one stands twice in some column.
    fn recurs_in_rows(&self, own: &[usize], constants: usize) -> bool {
        let recurs = |&column: &usize| self.all[column].1.values().any(|used| used.rows > 1);
        constants <= MOST_VALUES && own.iter().any(recurs)
    }

    /// Tells whether most constants of a type, or those in most of its rows, stand in several examples.
    fn recurs_in_examples(&self, own: &[usize], constants: &BTreeSet<u32>) -> bool {
        let mut recurring = (0, 0);
        let mut rows = 0;
        for value in constants {
            let places = own.iter().filter_map(|&column| self.all[column].1.get(value));
            let (first, last, own) = places.fold((u32::MAX, 0, 0), |(first, last, rows), used| {
                (first.min(used.examples.0), last.max(used.examples.1), rows + used.rows)
            });
            rows += own;
            if first < last {
                recurring = (recurring.0 + 1, recurring.1 + own);
            }
        }
        2 * recurring.0 > constants.len() || 2 * recurring.1 > rows
    }

    /// Tells whether constants only number what an example has: those of any example are the first of one order, as
    /// c1, c2, c3 of three cars and c1, c2 of two, and some column has each but once in an example.
    fn is_local(&self, facts: &FactIndex, own: &[usize]) -> bool {
        let mut sets: Vec<BTreeSet<u32>> = vec![BTreeSet::new(); facts.example_count()];
        let mut column = self.head;
        let mut has_names = false;
        for relation in &facts.relations {
            for at in (0..relation.arity).filter(|at| own.contains(&(column + at))) {
                let mut is_name = !relation.is_empty();
                for example in 0..facts.example_count() as u32 {
                    let mut values: Vec<u32> = relation
                        .rows_of(example)
                        .map(|row| facts.values[relation.row(row)[at] as usize])
                        .collect();
                    values.sort_unstable();
                    is_name &= values.windows(2).all(|pair| pair[0] != pair[1]);
                    sets[example as usize].extend(values);
                }
                has_names |= is_name;
            }
            column += relation.arity;
        }
        sets.sort_by_key(BTreeSet::len);
        let mut sizes: Vec<usize> = sets.iter().map(BTreeSet::len).filter(|&size| size > 0).collect();
        sizes.dedup();
        has_names && sizes.len() >= 3 && sets.windows(2).all(|pair| pair[0].is_subset(&pair[1]))
    }
}

/// Gives every type a name of its own.
fn name_types(types: &mut [ConstantType]) {
    let mut seen = BTreeSet::new();
    for kind in types {
        let plain: String = kind.name.chars().filter(|c| c.is_alphanumeric() || *c == '_').collect();
        let mut name = if plain.is_empty() { "type".to_owned() } else { plain };
        while !seen.insert(name.clone()) {
            name.push('_');
        }
        kind.name = name;
    }
}
