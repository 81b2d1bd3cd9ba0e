//! The model as bytes and back: its weights are tensors, all else are texts.

use std::collections::BTreeMap;

use super::list::WeightNumbers;
use super::{
    Container, Model, ModelError, ModelWeight, Precision, RelationSummary, Support, Tensor, TensorType,
    WeightList, names, write,
};
use crate::function::Shape;

/// Keys of texts; numbered sources and notes have one each behind theirs.
const DATA: &str = "data";
const FAMILY: &str = "family";
const PRECISION: &str = "precision";
const SETTING: &str = "setting ";
const QUERY: &str = "query ";
const RELATION: &str = "relation ";
const SOURCE: &str = "source ";
const NOTE: &str = "note ";
/// Begins the names of the weights of an ensemble's members behind the first, before their number and a colon.
const MEMBER: &str = "member ";
/// Begins the names of what is kept of supports.
const SUPPORT: &str = "support ";
const SUPPORT_COLUMNS: [&str; 3] = ["multipliers", "sizes", "uses"];

impl Model {
    /// Returns the model as a file. Equal models have equal bytes.
    pub fn to_bytes(&self) -> Result<Vec<u8>, ModelError> {
        let of = |(prefix, list): (String, &WeightList)| {
            let named = |weight| self.tensor(&prefix, &weight);
            list.iter().map(named).collect::<Vec<_>>()
        };
        let members =
            self.members.iter().zip(2..).map(|(list, number)| (format!("{MEMBER}{number}: "), list));
        let mut tensors: Vec<Tensor<'_>> =
            std::iter::once((String::new(), &self.weights)).chain(members).flat_map(of).collect();
        if !self.supports.is_empty() {
            tensors.extend(self.support_tensors());
        }
        write(&self.version, &self.texts(), &tensors)
    }

    /// Returns the supports as three rows of numbers: multipliers, how many weights each uses, and which and how much.
    fn support_tensors(&self) -> impl Iterator<Item = Tensor<'static>> {
        let multipliers = self.supports.iter().map(|support| support.multiplier).collect();
        let sizes = self.supports.iter().map(|support| support.uses.len() as f64).collect();
        let uses = self.supports.iter().flat_map(|support| &support.uses);
        let uses = uses.flat_map(|&(weight, amount)| [f64::from(weight), amount]).collect();
        let columns: [Vec<f64>; 3] = [multipliers, sizes, uses];
        SUPPORT_COLUMNS.into_iter().zip(columns).map(|(name, numbers)| {
            Tensor::f64(format!("{SUPPORT}{name}"), Shape::vector(numbers.len() as u32), &numbers)
        })
    }

    fn tensor(&self, prefix: &str, weight: &ModelWeight) -> Tensor<'static> {
        let name = format!("{prefix}{}", weight.full_name());
        match self.precision {
            Precision::F32 => Tensor::f32(name, weight.shape, &weight.numbers),
            Precision::F64 => Tensor::f64(name, weight.shape, &weight.numbers),
        }
    }

    fn texts(&self) -> BTreeMap<String, String> {
        let mut texts = BTreeMap::new();
        for (number, (name, text)) in self.sources.iter().enumerate() {
            texts.insert(format!("{SOURCE}{number} {name}"), text.clone());
        }
        for (name, text) in &self.notes {
            texts.insert(format!("{NOTE}{name}"), text.clone());
        }
        texts.extend(self.family.clone().map(|family| (FAMILY.to_owned(), family)));
        texts.insert(DATA.to_owned(), format!("{:016x}", self.fingerprint));
        texts.insert(PRECISION.to_owned(), self.precision.name().to_owned());
        for (name, value) in &self.settings {
            texts.insert(format!("{SETTING}{name}"), value.clone());
        }
        for (number, atom) in self.queries.iter().enumerate() {
            texts.insert(format!("{QUERY}{number:04}"), atom.clone());
        }
        for (number, relation) in self.relations.iter().enumerate() {
            texts.insert(format!("{RELATION}{number:04} {}", relation.name), relation_text(relation));
        }
        texts
    }

    /// Reads a model. Nothing in it is run, and a damaged one is an error.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, ModelError> {
        let mut container = Container::read(bytes)?;
        let mut texts = std::mem::take(&mut container.texts);
        let mut take =
            |key| texts.remove(key).ok_or(ModelError::Malformed("it does not say all that a model says"));
        let (data, precision) = (take(DATA)?, take(PRECISION)?);
        let precision =
            Precision::find(&precision).ok_or(ModelError::Malformed("its precision is not f32 or f64"))?;
        let fingerprint = u64::from_str_radix(&data, 16)
            .map_err(|_| ModelError::Malformed("its fingerprint is no number"))?;
        let family = texts.remove(FAMILY);
        let mut sources: BTreeMap<usize, (String, String)> = BTreeMap::new();
        let mut members = weights(&container, precision)?.into_iter();
        let mut model = Self {
            sources: Vec::new(),
            family,
            weights: members.next().unwrap_or_default(),
            members: members.collect(),
            supports: supports(&container)?,
            settings: BTreeMap::new(),
            queries: Vec::new(),
            relations: Vec::new(),
            precision,
            version: container.version,
            fingerprint,
            notes: BTreeMap::new(),
        };
        for (key, text) in texts {
            if let Some(name) = key.strip_prefix(NOTE) {
                model.notes.insert(name.to_owned(), text);
            } else if let Some(name) = key.strip_prefix(SETTING) {
                model.settings.insert(name.to_owned(), text);
            } else if key.starts_with(QUERY) {
                model.queries.push(text);
            } else if let Some(name) = key.strip_prefix(RELATION) {
                let relation = name.split_once(' ').and_then(|(_, name)| relation(name, &text));
                model
                    .relations
                    .push(relation.ok_or(ModelError::Malformed("a relation of its data makes no sense"))?);
            } else {
                let (number, name) =
                    numbered(&key).ok_or(ModelError::Malformed("it has a text of no known kind"))?;
                sources.insert(number, (name.to_owned(), text));
            }
        }
        if !sources.keys().copied().eq(0..sources.len()) {
            let what = "the texts of its template are not numbered one after the other";
            return Err(ModelError::Malformed(what));
        }
        model.sources = sources.into_values().collect();
        Ok(model)
    }
}

/// Returns a relation as text: rows and columns of its values, rows, and different constants by column.
fn relation_text(relation: &RelationSummary) -> String {
    let shape = relation.shape.map_or("-".to_owned(), |shape| format!("{} {}", shape.rows, shape.columns));
    let distinct: String = relation.distinct.iter().map(|number| format!(" {number:?}")).collect();
    format!("{shape} {:?}{distinct}", relation.rows)
}

fn relation(name: &str, text: &str) -> Option<RelationSummary> {
    let mut words = text.split(' ');
    let shape = match words.next()? {
        "-" => None,
        rows => Some(Shape { rows: rows.parse().ok()?, columns: words.next()?.parse().ok()? }),
    };
    let rows = words.next()?.parse().ok()?;
    let distinct = words.map(|word| word.parse().ok()).collect::<Option<Vec<f64>>>()?;
    Some(RelationSummary { name: name.to_owned(), shape, rows, distinct })
}

/// Returns the number and the name of a source.
fn numbered(key: &str) -> Option<(usize, &str)> {
    let (number, name) = key.strip_prefix(SOURCE)?.split_once(' ')?;
    Some((number.parse().ok()?, name))
}

/// Returns the weights of every member, those of the first behind each other before those of the second.
fn weights(container: &Container<'_>, precision: Precision) -> Result<Vec<WeightList>, ModelError> {
    const ORDER: ModelError =
        ModelError::Malformed("the members of its ensemble are not numbered one after the other");
    let (mut count, mut texts, mut bytes) = (0, 0, 0);
    let is_first = |name: &str| !name.starts_with(SUPPORT) && member(name).0 == 1;
    for tensor in container.tensors().filter(|tensor| is_first(&tensor.name)) {
        (count, texts, bytes) = (count + 1, texts + tensor.name.len(), bytes + tensor.bytes.len());
    }
    let kind = match precision {
        Precision::F32 => TensorType::F32,
        Precision::F64 => TensorType::F64,
    };
    let list = || {
        let numbers = match precision {
            Precision::F32 => WeightNumbers::F32(Vec::with_capacity(bytes / 4)),
            Precision::F64 => WeightNumbers::F64(Vec::with_capacity(bytes / 8)),
        };
        WeightList::with_capacity(count, texts, numbers)
    };
    let mut members = vec![list()];
    for tensor in container.tensors().filter(|tensor| !tensor.name.starts_with(SUPPORT)) {
        let numbers = tensor.each_float().filter(|_| tensor.kind == kind && !tensor.bytes.is_empty());
        let numbers = numbers
            .ok_or(ModelError::Malformed("a weight has not the precision of the model, or no numbers"))?;
        let (number, name) = member(&tensor.name);
        if number == members.len() + 1 {
            members.push(list());
        }
        let (name, index) = names::split(name).ok_or(ModelError::Malformed("a weight has no proper name"))?;
        if number != members.len() {
            return Err(ORDER);
        }
        members[number - 1].push(name, index, tensor.shape, numbers);
    }
    Ok(members)
}

/// Returns the supports of a file.
fn supports(container: &Container<'_>) -> Result<Vec<Support>, ModelError> {
    const WRONG: ModelError = ModelError::Malformed("its supports make no sense");
    let mut columns: Vec<Vec<f64>> = Vec::new();
    for (tensor, name) in container.tensors().filter(|it| it.name.starts_with(SUPPORT)).zip(SUPPORT_COLUMNS) {
        let numbers = tensor.each_float().filter(|_| tensor.kind == TensorType::F64).ok_or(WRONG)?;
        if tensor.name.strip_prefix(SUPPORT) != Some(name) {
            return Err(WRONG);
        }
        columns.push(numbers.collect());
    }
    let [multipliers, sizes, uses] = match <[Vec<f64>; 3]>::try_from(columns) {
        Ok(columns) => columns,
        Err(columns) if columns.is_empty() => return Ok(Vec::new()),
        Err(_) => return Err(WRONG),
    };
    let is_whole = |number: &f64| number.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(number);
    let weights_are_whole = uses.iter().step_by(2).all(is_whole) && sizes.iter().all(is_whole);
    let total: f64 = sizes.iter().sum();
    if multipliers.len() != sizes.len() || !weights_are_whole || 2.0 * total != uses.len() as f64 {
        return Err(WRONG);
    }
    let mut uses = uses.chunks(2).map(|pair| (pair[0] as u32, pair[1]));
    let support = |(&multiplier, &size): (&f64, &f64)| Support {
        multiplier,
        uses: uses.by_ref().take(size as usize).collect(),
    };
    Ok(multipliers.iter().zip(&sizes).map(support).collect())
}

/// Returns the number of the member whose weight this is, and the name of the weight.
fn member(name: &str) -> (usize, &str) {
    let parts = name.strip_prefix(MEMBER).and_then(|rest| rest.split_once(": "));
    let numbered = parts.and_then(|(number, name)| Some((number.parse().ok()?, name)));
    numbered.unwrap_or((1, name))
}
