//! Settings as text: how each kind of value is read and written.

use super::kernel::Readout;
use super::loss::Loss;
use super::optimizer::Optimizer;
use super::problem::Unentailed;
use super::rate::RateSchedule;
use crate::model::Precision;
use crate::network::Initialisation;

/// A line of a table of settings, and how it is read and written.
#[derive(Clone, Copy, Debug)]
pub struct Setting<S> {
    /// Its name.
    pub name: &'static str,
    /// Other names that find it, such as those of earlier versions.
    pub aliases: &'static [&'static str],
    /// One line about it.
    pub about: &'static str,
    /// Description of its values.
    pub kind: &'static str,
    /// The names that a value can have; empty if it is a number or any text.
    pub values: fn() -> Vec<&'static str>,
    /// Its value as text.
    pub get: fn(&S) -> String,
    /// Sets it from text.
    pub set: fn(&mut S, &str) -> Result<(), String>,
}

/// A setting that does not exist or cannot have this value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SettingError {
    /// There is none of this name.
    Unknown(String),
    /// It cannot have this value: name, value, why.
    Value(String, String, String),
}

impl std::fmt::Display for SettingError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Unknown(name) => write!(f, "there is no setting `{name}`"),
            Self::Value(name, value, why) => write!(f, "`{name}` cannot be `{value}`: {why}"),
        }
    }
}

impl std::error::Error for SettingError {}

impl From<SettingError> for crate::Error {
    fn from(error: SettingError) -> Self {
        let found = Self::new(crate::ErrorKind::Usage, error.to_string());
        let SettingError::Unknown(name) = &error else { return found };
        let names = super::Settings::TABLE.iter().map(|setting| setting.name);
        let near = crate::diagnostic::did_you_mean(name, names);
        found.help(near.unwrap_or_else(|| "`lrnn list settings` shows them all".to_owned()))
    }
}

/// Declares a struct of settings with its defaults and its table.
macro_rules! settings {
    (
        $(#[$outer:meta])*
        pub struct $name:ident {
            $(#[doc = $about:literal] pub $field:ident $(| $($alias:ident),+)?: $type:ty = $default:expr;)*
        }
    ) => {
        $(#[$outer])*
        #[derive(Clone, PartialEq, Debug)]
        pub struct $name {
            $(#[doc = $about] pub $field: $type,)*
            /// The settings that were set by name.
            pub named: $crate::train::setting::NamedSettings,
        }

        impl Default for $name {
            fn default() -> Self {
                Self { $($field: $default,)* named: Default::default() }
            }
        }

        impl $name {
            /// The table.
            pub const TABLE: &'static [Setting<Self>] = &[
                $(Setting {
                    name: stringify!($field),
                    aliases: &[$($(stringify!($alias)),+)?],
                    about: $about.trim_ascii(),
                    kind: <$type as $crate::train::setting::SettingText>::KIND,
                    values: <$type as $crate::train::setting::SettingText>::values,
                    get: |settings| $crate::train::setting::SettingText::show(&settings.$field),
                    set: |settings, text| {
                        settings.$field = $crate::train::setting::SettingText::read(text)?;
                        Ok(())
                    },
                },)*
            ];

            /// Goes through all settings by name, with their values as text.
            pub fn pairs(&self) -> impl Iterator<Item = (&'static str, String)> {
                Self::TABLE.iter().map(|setting| (setting.name, (setting.get)(self)))
            }

            /// Returns the settings with these values, the defaults elsewhere; what is not a setting is passed over.
            pub fn of_pairs<'a>(pairs: impl IntoIterator<Item = (&'a String, &'a String)>) -> Self {
                let mut settings = Self::default();
                pairs.into_iter().for_each(|(name, value)| drop(settings.set(name, value)));
                settings
            }

            /// Finds a setting by its name or an alias; `-` and `_` are alike.
            pub fn find(name: &str) -> Option<&'static Setting<Self>> {
                let is_it = |entry: &&Setting<Self>| {
                    let mut names = std::iter::once(&entry.name).chain(entry.aliases);
                    names.any(|known| $crate::function::table::same_name(known, name))
                };
                Self::TABLE.iter().find(is_it)
            }

            /// Sets one by its name or an alias; `-` and `_` are alike.
            pub fn set(&mut self, name: &str, text: &str) -> Result<(), SettingError> {
                let setting = Self::find(name).ok_or_else(|| SettingError::Unknown(name.to_owned()))?;
                (setting.set)(self, text)
                    .map_err(|why| SettingError::Value(setting.name.to_owned(), text.to_owned(), why))?;
                self.named.add(setting.name);
                Ok(())
            }
        }
    };
}
pub(super) use settings;

/// A value of a setting as text.
pub(super) trait SettingText: Sized {
    /// A word for the values.
    const KIND: &'static str;
    /// Reads a value; the error says what it must be.
    fn read(text: &str) -> Result<Self, String>;
    /// Writes it.
    fn show(&self) -> String;
    /// Returns the names that a value can have, if it has names.
    fn values() -> Vec<&'static str> {
        Vec::new()
    }
}

/// The settings that were set by name, and so are not chosen. Settings are equal whoever gave their values.
#[derive(Clone, Default, Debug)]
pub struct NamedSettings(Vec<&'static str>);

impl NamedSettings {
    pub(super) fn add(&mut self, name: &'static str) {
        if !self.has(name) {
            self.0.push(name);
        }
    }

    /// Returns whether this one was.
    pub fn has(&self, name: &str) -> bool {
        self.0.contains(&name)
    }
}

impl PartialEq for NamedSettings {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// A number from 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Count(pub u32);

/// A part of 1, below 1.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Share(pub f64);

/// Names with commas between them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NameList(pub Vec<String>);

impl SettingText for f64 {
    const KIND: &'static str = "NUMBER";

    fn read(text: &str) -> Result<Self, String> {
        let number: Self = text.parse().map_err(|_| "it must be a number".to_owned())?;
        if number.is_finite() && number >= 0.0 {
            Ok(number)
        } else {
            Err("it must be a number from 0".into())
        }
    }

    fn show(&self) -> String {
        format!("{self:?}")
    }
}

impl SettingText for Share {
    const KIND: &'static str = "SHARE";

    fn read(text: &str) -> Result<Self, String> {
        match text.parse() {
            Ok(share) if (0.0..1.0).contains(&share) => Ok(Self(share)),
            _ => Err("it must be a number from 0, below 1".into()),
        }
    }

    fn show(&self) -> String {
        format!("{:?}", self.0)
    }
}

impl SettingText for Count {
    const KIND: &'static str = "N";

    fn read(text: &str) -> Result<Self, String> {
        match text.parse() {
            Ok(count) if count > 0 => Ok(Self(count)),
            _ => Err("it must be a whole number from 1".into()),
        }
    }

    fn show(&self) -> String {
        self.0.to_string()
    }
}

impl SettingText for NameList {
    const KIND: &'static str = "NAMES";

    fn read(text: &str) -> Result<Self, String> {
        Ok(Self(text.split(',').map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()).collect()))
    }

    fn show(&self) -> String {
        self.0.join(",")
    }
}

macro_rules! parsed {
    ($($type:ty, $kind:literal, $must:literal;)*) => { $(impl SettingText for $type {
        const KIND: &'static str = $kind;

        fn read(text: &str) -> Result<Self, String> {
            text.parse().map_err(|_| $must.to_owned())
        }

        fn show(&self) -> String {
            self.to_string()
        }
    })* };
}
parsed! {
    u32, "N", "it must be a whole number from 0";
    u64, "N", "it must be a whole number from 0";
    bool, "BOOL", "it must be true or false";
}

macro_rules! named {
    ($($($type:ty),* => $names:expr;)*) => { $($(impl SettingText for $type {
        const KIND: &'static str = "NAME";

        fn read(text: &str) -> Result<Self, String> {
            Self::find(text).ok_or_else(|| format!("there are {}", Self::values().join(", ")))
        }

        fn show(&self) -> String {
            self.name().to_owned()
        }

        fn values() -> Vec<&'static str> {
            $names
        }
    })*)* };
}
named! {
    Loss, Optimizer, RateSchedule, Initialisation, Readout => Self::TABLE.iter().map(|entry| entry.name).collect();
    Precision => vec![Self::F32.name(), Self::F64.name()];
}

impl SettingText for Unentailed {
    const KIND: &'static str = "WHAT";

    fn read(text: &str) -> Result<Self, String> {
        match text {
            "error" => Ok(Self::Error),
            "skip" => Ok(Self::Skip),
            _ => match text.parse() {
                Ok(value) if f64::is_finite(value) => Ok(Self::Value(value)),
                _ => Err("it is `error`, `skip` or a number".into()),
            },
        }
    }

    fn show(&self) -> String {
        match self {
            Self::Error => "error".into(),
            Self::Skip => "skip".into(),
            Self::Value(value) => format!("{value:?}"),
        }
    }

    fn values() -> Vec<&'static str> {
        vec!["0", "error", "skip"]
    }
}

impl<T: SettingText> SettingText for Option<T> {
    const KIND: &'static str = T::KIND;

    fn read(text: &str) -> Result<Self, String> {
        if text == "auto" { Ok(None) } else { T::read(text).map(Some) }
    }

    fn show(&self) -> String {
        self.as_ref().map_or_else(|| "auto".to_owned(), T::show)
    }

    fn values() -> Vec<&'static str> {
        std::iter::once("auto").chain(T::values()).collect()
    }
}
