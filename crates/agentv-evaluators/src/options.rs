//! Reading the options of an evaluator.

use agentv_core::{EvaluatorSpec, Extra};
use serde_json::Value;

use crate::error::{BuildError, SpecError};
use crate::words::shown;

/// The options of an evaluator, or of one object in them.
pub(crate) struct Options<'a> {
    evaluator: &'a str,
    /// The path of the object within the options, or empty for the options themselves.
    place: String,
    values: &'a Extra,
}

impl<'a> Options<'a> {
    pub(crate) fn of(spec: &'a EvaluatorSpec) -> Options<'a> {
        Options {
            evaluator: &spec.name,
            place: String::new(),
            values: &spec.options,
        }
    }

    /// Returns the options of a member.
    pub(crate) fn of_values(values: &'a Extra) -> Options<'a> {
        Options {
            evaluator: "",
            place: String::new(),
            values,
        }
    }

    /// Returns all options.
    pub(crate) fn values(&self) -> &'a Extra {
        self.values
    }

    /// Returns the value of an option. An explicit `null` is the same as no value.
    pub(crate) fn get(&self, name: &str) -> Option<&'a Value> {
        self.values.get(name).filter(|value| !value.is_null())
    }

    /// Returns the value of a required option.
    pub(crate) fn required(&self, name: &str) -> Result<&'a Value, BuildError> {
        self.get(name).ok_or_else(|| self.invalid(name, "missing"))
    }

    /// Returns the error that an option cannot be used.
    pub(crate) fn invalid(&self, name: &str, problem: impl ToString) -> BuildError {
        self.error(SpecError::InvalidOption {
            option: self.place_of(name),
            problem: problem.to_string(),
        })
    }

    /// Returns the error that no evaluator has this type.
    pub(crate) fn unknown_kind(&self, kind: &str) -> BuildError {
        let kind = kind.to_owned();
        self.error(SpecError::UnknownKind { kind })
    }

    fn error(&self, source: SpecError) -> BuildError {
        BuildError {
            evaluator: self.evaluator.to_owned(),
            source,
        }
    }

    /// Returns the path of an option, starting at the evaluator's options.
    fn place_of(&self, name: &str) -> String {
        match (self.place.as_str(), name) {
            ("", name) => name.to_owned(),
            (place, "") => place.to_owned(),
            (place, name) => format!("{place}.{name}"),
        }
    }

    fn wrong(&self, name: &str, expected: &str, found: &Value) -> BuildError {
        let found = shown(found);
        self.invalid(name, format!("expected {expected}, found {found}"))
    }

    pub(crate) fn text(&self, name: &str) -> Result<Option<&'a str>, BuildError> {
        self.read(name, "a string", Value::as_str)
    }

    pub(crate) fn required_text(&self, name: &str) -> Result<&'a str, BuildError> {
        let value = self.required(name)?;
        value
            .as_str()
            .ok_or_else(|| self.wrong(name, "a string", value))
    }

    /// Reads a boolean.
    pub(crate) fn flag(&self, name: &str, default: bool) -> Result<bool, BuildError> {
        let given = self.read(name, "true or false", Value::as_bool)?;
        Ok(given.unwrap_or(default))
    }

    /// Reads a number that is not negative.
    pub(crate) fn amount(&self, name: &str) -> Result<Option<f64>, BuildError> {
        self.read(name, "a number that is 0 or more", |value| {
            value.as_f64().filter(|number| *number >= 0.0)
        })
    }

    /// Reads a number from 0 to 1.
    pub(crate) fn fraction(&self, name: &str) -> Result<Option<f64>, BuildError> {
        self.read(name, "a number from 0 to 1", |value| {
            value.as_f64().filter(|number| (0.0..=1.0).contains(number))
        })
    }

    /// Reads a whole number that is not negative, including `2.0`.
    pub(crate) fn count(&self, name: &str) -> Result<Option<u64>, BuildError> {
        self.read(name, "a whole number that is 0 or more", whole)
    }

    /// Reads an object of whole numbers.
    pub(crate) fn counts(&self, name: &str) -> Result<Option<Vec<(&'a str, u64)>>, BuildError> {
        self.read(name, "an object of whole numbers", |value| {
            let counts = value.as_object()?.iter();
            counts
                .map(|(key, value)| Some((key.as_str(), whole(value)?)))
                .collect()
        })
    }

    /// Reads an array of strings.
    pub(crate) fn texts(&self, name: &str) -> Result<Option<Vec<&'a str>>, BuildError> {
        self.read(name, "an array of strings", |value| {
            value.as_array()?.iter().map(Value::as_str).collect()
        })
    }

    /// Reads an array of objects.
    pub(crate) fn objects(&self, name: &str) -> Result<Option<Vec<Options<'a>>>, BuildError> {
        let Some(items) = self.read(name, "an array of objects", Value::as_array)? else {
            return Ok(None);
        };
        let inside = |(index, item): (usize, &'a Value)| self.element(name, index, item);
        items
            .iter()
            .enumerate()
            .map(inside)
            .collect::<Result<_, _>>()
            .map(Some)
    }

    /// Reads an array of any values.
    pub(crate) fn list(&self, name: &str) -> Result<Option<&'a [Value]>, BuildError> {
        self.read(name, "an array", |value| {
            value.as_array().map(Vec::as_slice)
        })
    }

    /// Reads an element of an array that must be an object.
    pub(crate) fn element(
        &self,
        name: &str,
        index: usize,
        item: &'a Value,
    ) -> Result<Options<'a>, BuildError> {
        match item {
            Value::Object(values) => Ok(Options {
                evaluator: self.evaluator,
                place: self.place_of(&format!("{name}[{index}]")),
                values,
            }),
            other => Err(self.wrong(&format!("{name}[{index}]"), "an object", other)),
        }
    }

    /// Reads an object.
    pub(crate) fn object(&self, name: &str) -> Result<Option<Options<'a>>, BuildError> {
        let values = self.read(name, "an object", Value::as_object)?;
        Ok(values.map(|values| Options {
            evaluator: self.evaluator,
            place: self.place_of(name),
            values,
        }))
    }

    /// Reads one of several words and returns its meaning.
    pub(crate) fn one_of<T: Copy>(
        &self,
        name: &str,
        words: &[(&str, T)],
    ) -> Result<Option<T>, BuildError> {
        let Some(word) = self.text(name)? else {
            return Ok(None);
        };
        let known = words.iter().find(|(known, _)| *known == word);
        match known {
            Some((_, meaning)) => Ok(Some(*meaning)),
            None => {
                let known: Vec<_> = words.iter().map(|(known, _)| *known).collect();
                let expected = format!("one of {}", known.join(", "));
                Err(self.wrong(name, &expected, &Value::from(word)))
            }
        }
    }

    fn read<T>(
        &self,
        name: &str,
        expected: &str,
        read: impl FnOnce(&'a Value) -> Option<T>,
    ) -> Result<Option<T>, BuildError> {
        let Some(value) = self.get(name) else {
            return Ok(None);
        };
        match read(value) {
            Some(value) => Ok(Some(value)),
            None => Err(self.wrong(name, expected, value)),
        }
    }
}

fn whole(value: &Value) -> Option<u64> {
    const MOST: f64 = 9_007_199_254_740_991.0;
    value.as_u64().or_else(|| {
        let number = value.as_f64()?;
        let is_whole = number.fract() == 0.0 && (0.0..=MOST).contains(&number);
        is_whole.then_some(number as u64)
    })
}
