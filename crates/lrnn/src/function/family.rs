//! Families: presets of the functions of rules and atoms.

use super::activation::Activation;
use super::aggregation::Aggregation;
use super::combination::Combination;
use super::table::same_name;

/// g∧ of a family.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct RuleFunction {
    /// Combination of the inputs.
    pub combination: Combination,
    /// True if the number of inputs, k, is subtracted from their sum.
    pub minus_inputs: bool,
    /// Function applied to the combination.
    pub activation: Activation,
    /// b0, which learning leaves alone.
    pub offset: f64,
}

/// g∨ of a family.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct AtomFunction {
    /// Combination of the weighted inputs.
    pub combination: Combination,
    /// Function applied to the combination.
    pub activation: Activation,
    /// Start of b0.
    pub offset: f64,
    /// True if b0 is learned, for every predicate that is the head of a rule.
    pub learned: bool,
}

/// A preset of functions, any of which a rule or predicate may override.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Family {
    /// Its name.
    pub name: &'static str,
    /// One line about it.
    pub about: &'static str,
    /// g∧.
    pub rule: RuleFunction,
    /// g*.
    pub aggregation: Aggregation,
    /// g∨.
    pub atom: AtomFunction,
    /// True if an atom that only facts give has the sum of their values, without g∨.
    pub facts_enter_as_values: bool,
}

/// All families.
pub static FAMILIES: [Family; 5] = [
    Family {
        name: "max-sigmoid",
        about: "A smooth Łukasiewicz logic: the best match of a rule counts.",
        rule: SIGMOID_RULE,
        aggregation: Aggregation::Max,
        atom: AtomFunction { activation: Activation::Sigmoid, ..LINEAR_ATOM },
        facts_enter_as_values: false,
    },
    Family {
        name: "avg-sigmoid",
        about: "Like max-sigmoid, but the mean over all matches counts, and atoms are linear.",
        rule: RuleFunction { offset: 0.0, ..SIGMOID_RULE },
        aggregation: Aggregation::Mean,
        atom: LINEAR_ATOM,
        facts_enter_as_values: false,
    },
    Family {
        name: "godel",
        about: "Gödel's fuzzy logic: and is the smallest, or is the largest.",
        rule: RuleFunction { combination: Combination::Min, ..LINEAR_RULE },
        aggregation: Aggregation::Max,
        atom: AtomFunction { combination: Combination::Max, learned: false, ..LINEAR_ATOM },
        facts_enter_as_values: false,
    },
    Family {
        name: "lukasiewicz",
        about: "Łukasiewicz's fuzzy logic: and adds up what is missing to 1, or adds up.",
        rule: RuleFunction { activation: Activation::LukasiewiczConjunction, ..SIGMOID_RULE },
        aggregation: Aggregation::Max,
        atom: AtomFunction { activation: Activation::LukasiewiczDisjunction, learned: false, ..LINEAR_ATOM },
        facts_enter_as_values: false,
    },
    Family {
        name: "neuralogic",
        about: "What NeuraLogic does unless told otherwise: tanh of sums, and the mean over all matches.",
        rule: RuleFunction { activation: Activation::Tanh, ..LINEAR_RULE },
        aggregation: Aggregation::Mean,
        atom: AtomFunction { activation: Activation::Tanh, learned: false, ..LINEAR_ATOM },
        facts_enter_as_values: true,
    },
];

const LINEAR_RULE: RuleFunction = RuleFunction {
    combination: Combination::Sum,
    minus_inputs: false,
    activation: Activation::Identity,
    offset: 0.0,
};

const SIGMOID_RULE: RuleFunction =
    RuleFunction { minus_inputs: true, activation: Activation::Sigmoid, offset: 1.0, ..LINEAR_RULE };

const LINEAR_ATOM: AtomFunction = AtomFunction {
    combination: Combination::Sum,
    activation: Activation::Identity,
    offset: 0.0,
    learned: true,
};

impl Family {
    /// Returns the family with this name; `-` and `_`, capitals and small letters are alike.
    pub fn find(name: &str) -> Option<&'static Self> {
        FAMILIES.iter().find(|family| same_name(family.name, name))
    }

    /// Returns whether it is the one in which the names of functions mean what they mean in NeuraLogic.
    pub fn is_neuralogic(&self) -> bool {
        self.name == "neuralogic"
    }

    /// Returns the names of all families.
    pub fn names() -> impl Iterator<Item = &'static str> {
        FAMILIES.iter().map(|family| family.name)
    }
}

impl Default for &'static Family {
    /// Returns the family of a template that names none: the first of the paper.
    fn default() -> Self {
        &FAMILIES[0]
    }
}

/// Returns what a name like `tanh`, `min` or `element-product-tanh` says of the function of a rule or atom: a
/// combination, if it names one, and an activation. An activation's name comes first, then a combination's alone, which
/// leaves the activation at identity, then both joined by `-` or `_`.
pub fn find_rule_function(name: &str) -> Option<(Option<Combination>, Activation)> {
    if let Some(activation) = Activation::find(name) {
        return Some((None, activation));
    }
    if let Some(combination) = Combination::find(name) {
        return Some((Some(combination), Activation::Identity));
    }
    name.match_indices(['-', '_']).find_map(|(at, joint)| {
        let combination = Combination::find(&name[..at])?;
        Some((Some(combination), Activation::find(&name[at + joint.len()..])?))
    })
}

/// Returns the names of activations and combinations, to tell what a misspelt one may have meant.
pub fn rule_function_names() -> impl Iterator<Item = &'static str> {
    Activation::names().chain(Combination::names())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn families_are_found_by_name() {
        for family in &FAMILIES {
            assert_eq!(Family::find(family.name), Some(family));
            assert_eq!(Family::find(&family.name.replace('-', "_").to_uppercase()), Some(family));
        }
        assert_eq!(Family::find("fuzzy"), None);
    }

    #[test]
    fn names_of_functions_split_into_combination_and_activation() {
        let check = |name, expected| assert_eq!(find_rule_function(name), expected, "{name}");
        check("tanh", Some((None, Activation::Tanh)));
        check("leaky_relu", Some((None, Activation::LeakyRelu)));
        check("min", Some((Some(Combination::Min), Activation::Identity)));
        check("max-sigmoid", Some((Some(Combination::Max), Activation::Sigmoid)));
        check("elementproduct-tanh", Some((Some(Combination::ElementProduct), Activation::Tanh)));
        check("cross-sum_leaky-relu", Some((Some(Combination::CrossSum), Activation::LeakyRelu)));
        check("lukasiewicz-and", Some((None, Activation::LukasiewiczConjunction)));
        check("tanh-min", None);
        check("-", None);
        check("ř-tanh", None);
    }
}
