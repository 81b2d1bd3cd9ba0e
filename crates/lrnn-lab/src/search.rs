//! Which settings are tried: a table of values, and how it is gone through.

use lrnn::diagnostic::did_you_mean;
use lrnn::train::{SettingError, Settings, shuffled};
use lrnn::{Error, ErrorKind};
use lrnn_io::family as find_family;
use serde::{Deserialize, Serialize};

/// A way to go through the table.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SearchMethod {
    /// All that the table has.
    Grid,
    /// So many of them, at random.
    Random(usize),
    /// So many of them at random, or all; the worse two thirds stop early, again and again.
    Halving(Option<usize>),
}

/// Number of settings that a random search tries by default.
const RANDOM_TRIALS: usize = 12;

impl SearchMethod {
    /// The names of all.
    pub const NAMES: [&str; 3] = ["grid", "random", "halving"];

    /// Returns the search of this name with so many trials.
    pub fn new(name: &str, trials: Option<usize>) -> Result<Self, Error> {
        match name {
            "grid" if trials.is_some() => {
                let error =
                    Error::new(ErrorKind::Usage, "a grid tries all settings, so --trials says nothing");
                Err(error.help("--search random or halving tries some of them"))
            }
            "grid" => Ok(Self::Grid),
            "random" => Ok(Self::Random(trials.unwrap_or(RANDOM_TRIALS))),
            "halving" => Ok(Self::Halving(trials)),
            _ => {
                let error = Error::new(ErrorKind::Usage, format!("there is no search `{name}`"));
                Err(error.help(format!("there are {}", Self::NAMES.join(", "))))
            }
        }
    }
}

/// The values of each setting, in the order of the table.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct SearchSpace(pub Vec<(String, Vec<String>)>);

/// Settings to try.
#[derive(Clone, PartialEq, Debug)]
pub struct Trial {
    /// The number of its template with its family.
    pub variant: usize,
    /// The settings.
    pub settings: Settings,
    /// Names and values from the table, in the table's order.
    pub taken: Vec<(String, String)>,
}

/// The names that are no settings of learning.
const OTHERS: [&str; 2] = ["template", "family"];
/// More than these are not gone through one by one.
const MOST_TRIALS: usize = 10_000;
/// More than these cannot be counted out to draw from.
const MOST_COMBINATIONS: usize = 1_000_000;

impl SearchSpace {
    /// Checks that the table makes sense: known names, each once, with values that they can have. `place` begins the
    /// message.
    pub fn check(&self, place: &str) -> Result<(), Error> {
        let wrong = |message: String, help: Option<String>| {
            let error = Error::new(ErrorKind::Content, format!("{place}{message}"));
            Err(help.map_or(error.clone(), |help| error.help(help)))
        };
        for (at, (name, values)) in self.0.iter().enumerate() {
            let known = |name| Settings::find(name).map_or(name, |setting| setting.name);
            if self.0[..at].iter().any(|(other, _)| known(other) == known(name)) {
                return wrong(format!("`{name}` stands twice"), Some("keep one of the two".to_owned()));
            }
            if values.is_empty() {
                let help = format!("write its values in brackets: {name} = [1, 2]");
                return wrong(format!("`{name}` has no value to try"), Some(help));
            }
            for value in values {
                if let Err((message, help)) = check_value(name, value) {
                    return wrong(message, help);
                }
            }
        }
        Ok(())
    }

    /// Returns the values of a name, if the table has it.
    pub fn values(&self, name: &str) -> Option<&[String]> {
        self.0.iter().find(|(other, _)| other == name).map(|(_, values)| values.as_slice())
    }

    /// Returns how many combinations there are.
    pub fn combinations(&self) -> Option<usize> {
        self.0.iter().try_fold(1usize, |all, (_, values)| all.checked_mul(values.len()))
    }

    /// Returns the trials of a search, in the order of the table, whose first name changes last. `variant` tells the
    /// number of a template and family that were taken.
    pub fn trials(
        &self,
        base: &Settings,
        search: SearchMethod,
        variant: impl Fn(&[(String, String)]) -> usize,
    ) -> Result<Vec<Trial>, Error> {
        self.check("")?;
        let all = self.combinations().filter(|&all| all <= MOST_COMBINATIONS);
        let all = all.ok_or_else(|| {
            let message = format!("the table has more than {MOST_COMBINATIONS} combinations");
            Error::new(ErrorKind::Content, message).help("take fewer values")
        })?;
        let wanted = match search {
            SearchMethod::Grid => all,
            SearchMethod::Random(trials) => trials.clamp(1, all),
            SearchMethod::Halving(trials) => trials.unwrap_or(all).clamp(1, all),
        };
        if wanted > MOST_TRIALS {
            let message = format!("{wanted} combinations are too many to try");
            let error = Error::new(ErrorKind::Content, message);
            return Err(error.help("--search random --trials N tries some of them"));
        }
        let mut numbers = if wanted == all { (0..all).collect() } else { shuffled(all, &[base.seed, 6]) };
        numbers.truncate(wanted);
        numbers.sort_unstable();
        let trial = |number: usize| {
            let taken = self.combination(number);
            let mut settings = base.clone();
            for (name, value) in taken.iter().filter(|(name, _)| !OTHERS.contains(&name.as_str())) {
                settings.set(name, value)?;
            }
            Ok(Trial { variant: variant(&taken), settings, taken })
        };
        numbers.into_iter().map(trial).collect()
    }

    fn combination(&self, number: usize) -> Vec<(String, String)> {
        let mut rest = number;
        let mut taken: Vec<(String, String)> = Vec::new();
        for (name, values) in self.0.iter().rev() {
            taken.push((name.clone(), values[rest % values.len()].clone()));
            rest /= values.len();
        }
        taken.reverse();
        taken
    }
}

impl Trial {
    /// Returns what it takes of the table, for people.
    pub fn text(&self) -> String {
        let taken: Vec<String> = self.taken.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        taken.join(", ")
    }
}

fn check_value(name: &str, value: &str) -> Result<(), (String, Option<String>)> {
    match name {
        "template" => Ok(()),
        "family" => find_family(value, ErrorKind::Content, "").map(drop).map_err(|error| {
            let (message, help) = error.sentences().next().unwrap_or_default();
            (message.to_owned(), help.map(str::to_owned))
        }),
        _ => {
            let help = match name.replace('-', "_").as_str() {
                "seed" => "--seeds N repeats everything with other seeds",
                "validation" => "--inner says how much is held out to choose settings by",
                "test" => "every fold is tested once",
                _ => "",
            };
            if !help.is_empty() {
                return Err((format!("`{name}` is nothing to choose"), Some(help.to_owned())));
            }
            Settings::default().set(name, value).map_err(|error| {
                let names: Vec<&str> = Settings::TABLE.iter().map(|it| it.name).chain(OTHERS).collect();
                let all = "`lrnn list settings` shows them all; `template` and `family` may be searched too";
                let is_unknown = matches!(error, SettingError::Unknown(_));
                let help = is_unknown.then(|| did_you_mean(name, names).unwrap_or_else(|| all.to_owned()));
                (error.to_string(), help)
            })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn space(table: &[(&str, &[&str])]) -> SearchSpace {
        let values = |values: &[&str]| values.iter().map(|value| (*value).to_owned()).collect();
        SearchSpace(table.iter().map(|(name, all)| ((*name).to_owned(), values(all))).collect())
    }

    fn texts(space: &SearchSpace, search: SearchMethod) -> Vec<String> {
        let trials = space.trials(&Settings::default(), search, |_| 0).expect("trials");
        trials.iter().map(Trial::text).collect()
    }

    #[test]
    fn the_first_name_changes_last() {
        let space = space(&[("rate", &["0.1", "0.01"]), ("family", &["godel", "max_sigmoid"])]);
        let expected = [
            "rate = 0.1, family = godel",
            "rate = 0.1, family = max_sigmoid",
            "rate = 0.01, family = godel",
            "rate = 0.01, family = max_sigmoid",
        ];
        assert_eq!(texts(&space, SearchMethod::Grid), expected);
        assert_eq!(texts(&space, SearchMethod::Halving(None)), expected);
    }

    #[test]
    fn nothing_to_search_is_one_trial() {
        assert_eq!(texts(&SearchSpace::default(), SearchMethod::Grid), [""]);
        assert_eq!(texts(&SearchSpace::default(), SearchMethod::Random(7)), [""]);
    }

    #[test]
    fn random_trials_differ_and_keep_the_order_of_the_table() {
        let space = space(&[("rate", &["1", "2", "3", "4"]), ("l2", &["0", "1", "2", "3", "4"])]);
        let (grid, some) = (texts(&space, SearchMethod::Grid), texts(&space, SearchMethod::Random(6)));
        let places: Vec<usize> = some
            .iter()
            .map(|text| grid.iter().position(|other| other == text).expect("of the grid"))
            .collect();
        assert!(places.len() == 6 && places.is_sorted_by(|a, b| a < b), "{places:?}");
    }

    #[test]
    fn what_is_wrong_is_told() {
        let check = |table: &[(&str, &[&str])], message: &str| {
            let error = space(table).check("").expect_err("a wrong table");
            assert_eq!(error.message(), message);
        };
        check(&[("rat", &["1"])], "there is no setting `rat`");
        check(&[("rate", &["fast"])], "`learning_rate` cannot be `fast`: it must be a number");
        check(&[("rate", &[])], "`rate` has no value to try");
        check(&[("rate", &["1"]), ("rate", &["2"])], "`rate` stands twice");
        check(&[("learning_rate", &["1"]), ("rate", &["2"])], "`rate` stands twice");
        check(&[("seed", &["1"])], "`seed` is nothing to choose");
        let many: Vec<String> = (0..101).map(|number| number.to_string()).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        let space = space(&[("rate", &many), ("l1", &many), ("l2", &many)]);
        let error = space.trials(&Settings::default(), SearchMethod::Grid, |_| 0).expect_err("too many");
        assert_eq!(error.message(), "the table has more than 1000000 combinations");
    }
}
