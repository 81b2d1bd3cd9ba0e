//! Triples, their names as numbers.

use lrnn::train::shuffled;
use lrnn::{Error, ErrorKind};
use rustc_hash::FxHashMap;

/// A triple by names: head, relation, tail.
pub type NamedTriple = [String; 3];

/// A triple by numbers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Triple {
    /// The relation.
    pub relation: u32,
    /// The entity that it starts from.
    pub head: u32,
    /// The entity that it leads to.
    pub tail: u32,
}

/// Triples to learn from, to choose settings on, and to test on; each part sorted, nothing twice in it.
#[derive(Clone, Debug)]
pub struct KnowledgeBase {
    /// Names of entities, in order.
    pub entities: Vec<String>,
    /// Names of relations, in order.
    pub relations: Vec<String>,
    /// Known triples.
    pub train: Vec<Triple>,
    /// Triples that settings are chosen on.
    pub validation: Vec<Triple>,
    /// Triples that are ranked once, at the end.
    pub test: Vec<Triple>,
    /// Other triples that are known to hold: no wrong answers in rankings, and nothing else.
    pub others: Vec<Triple>,
    /// Notes on the triples for the reader.
    pub notes: Vec<String>,
}

impl KnowledgeBase {
    /// Builds a knowledge base from its parts; validation and test may be empty.
    ///
    /// ```
    /// use lrnn_kb::KnowledgeBase;
    /// let triple = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>().try_into().unwrap();
    /// let known = [triple("ann mother bob"), triple("bob mother_of eve")];
    /// let knowledge = KnowledgeBase::new(&known, &[], &[])?;
    /// assert_eq!(knowledge.entities, ["ann", "bob", "eve"]);
    /// # Ok::<(), lrnn::Error>(())
    /// ```
    pub fn new(
        train: &[NamedTriple],
        validation: &[NamedTriple],
        test: &[NamedTriple],
    ) -> Result<Self, Error> {
        if train.is_empty() {
            let error = Error::new(ErrorKind::Content, "there is no triple to learn from");
            return Err(error.help("a line of triples is head, relation and tail with tabs between them"));
        }
        let all = || train.iter().chain(validation).chain(test);
        let entities = ordered(all().flat_map(|[head, _, tail]| [head, tail]));
        let relations = ordered(all().map(|[_, relation, _]| relation));
        let of_entity = numbers(&entities);
        let of_relation = numbers(&relations);
        let part = |triples: &[NamedTriple]| {
            let triple = |[head, relation, tail]: &NamedTriple| Triple {
                relation: of_relation[relation.as_str()],
                head: of_entity[head.as_str()],
                tail: of_entity[tail.as_str()],
            };
            let mut found: Vec<Triple> = triples.iter().map(triple).collect();
            found.sort_unstable();
            found.dedup();
            found
        };
        let (train, validation, test) = (part(train), part(validation), part(test));
        let mut knowledge =
            Self { entities, relations, train, validation, test, others: Vec::new(), notes: Vec::new() };
        knowledge.notes = knowledge.suspicions();
        Ok(knowledge)
    }

    /// Returns what is odd about the parts.
    fn suspicions(&self) -> Vec<String> {
        let mut notes = Vec::new();
        for (name, part) in [("validation", &self.validation), ("test", &self.test)] {
            let known = part.iter().filter(|triple| self.train.binary_search(triple).is_ok()).count();
            if known > 0 {
                notes.push(format!("{known} triples of the {name} part are among those to learn from"));
            }
        }
        let (mut entities, mut relations) =
            (vec![false; self.entities.len()], vec![false; self.relations.len()]);
        for triple in &self.train {
            entities[triple.head as usize] = true;
            entities[triple.tail as usize] = true;
            relations[triple.relation as usize] = true;
        }
        let mut unknown = |what: &str, known: &[bool], names: &[String]| {
            let missing: Vec<&str> = names
                .iter()
                .zip(known)
                .filter(|(_, known)| !**known)
                .map(|(name, _)| name.as_str())
                .collect();
            if let Some(first) = missing.first() {
                let count = missing.len();
                notes.push(format!("{count} {what} occur in no triple to learn from, such as `{first}`"));
            }
        };
        unknown("entities", &entities, &self.entities);
        unknown("relations", &relations, &self.relations);
        notes
    }

    /// Returns the knowledge base with other triples that hold, which rankings leave out; those of unknown names are left out.
    pub fn with_others(mut self, others: &[NamedTriple]) -> Self {
        let (of_entity, of_relation) = (numbers(&self.entities), numbers(&self.relations));
        let triple = |[head, relation, tail]: &NamedTriple| {
            Some(Triple {
                relation: *of_relation.get(relation.as_str())?,
                head: *of_entity.get(head.as_str())?,
                tail: *of_entity.get(tail.as_str())?,
            })
        };
        let found: Vec<Triple> = others.iter().filter_map(triple).collect();
        self.others = found;
        self
    }

    /// Returns the knowledge base with a tenth of its known triples moved to validation, if that is empty.
    pub fn with_validation(mut self, seed: u64) -> Self {
        if !self.validation.is_empty() {
            return self;
        }
        // One at least, where another is left.
        let count = (self.train.len() / 10).max(1).min(self.train.len() - 1);
        let mut is_held = vec![false; self.train.len()];
        shuffled(self.train.len(), &[seed, HELD_OUT])
            .into_iter()
            .take(count)
            .for_each(|at| is_held[at] = true);
        let mut held = is_held.iter().copied();
        self.validation = self.train.iter().copied().filter(|_| held.next() == Some(true)).collect();
        let mut held = is_held.iter().copied();
        self.train.retain(|_| held.next() == Some(false));
        self
    }

    /// Returns a triple as an atom: `uncle(ann, bob)`.
    pub fn atom(&self, triple: Triple) -> String {
        let Triple { relation, head, tail } = triple;
        format!("{}({}, {})", self.relation(relation), self.entity(head), self.entity(tail))
    }

    /// Returns the name of an entity as the language writes it.
    pub fn entity(&self, entity: u32) -> String {
        name(&self.entities[entity as usize])
    }

    /// Returns the name of a relation as the language writes it.
    pub fn relation(&self, relation: u32) -> String {
        name(&self.relations[relation as usize])
    }

    /// Returns the name of likeness in a template: one that no relation has.
    pub fn like(&self) -> String {
        let mut name = "like".to_owned();
        while self.relations.contains(&name) {
            name.insert(0, 'a');
        }
        name
    }
}

/// The stream of random orders for triples that are held out.
const HELD_OUT: u64 = 31;

/// Returns a name as the language writes it, in quotes where it must be.
fn name(text: &str) -> String {
    let mut out = String::new();
    let _ = lrnn::vocabulary::write_name(&mut out, text);
    out
}

fn ordered<'a>(names: impl Iterator<Item = &'a String>) -> Vec<String> {
    let mut names: Vec<&String> = names.collect();
    names.sort_unstable();
    names.dedup();
    names.into_iter().cloned().collect()
}

fn numbers(names: &[String]) -> FxHashMap<&str, u32> {
    names.iter().enumerate().map(|(at, name)| (name.as_str(), at as u32)).collect()
}
