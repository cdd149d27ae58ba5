//! The path to the answer in the JSON of a response.

use serde_json::{Map, Value};

use crate::answer::described;
use crate::excerpt::excerpt;
use crate::target::SettingError;

/// A path such as `choices[0].message.content`.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ResponsePath {
    steps: Vec<Step>,
}

#[derive(Debug, PartialEq, Eq)]
enum Step {
    Field(String),
    Item(usize),
}

impl ResponsePath {
    pub(super) fn parse(path: &str) -> Result<ResponsePath, SettingError> {
        let wrong = || {
            let message = format!("expected a path such as `a.b[0].c`, found `{path}`");
            SettingError::of("response_path", message)
        };
        let mut steps = Vec::new();
        for part in path.split('.') {
            let (field, items) = part.split_at(part.find('[').unwrap_or(part.len()));
            if !field.is_empty() {
                steps.push(Step::Field(field.to_owned()));
            } else if items.is_empty() || !steps.is_empty() {
                return Err(wrong());
            }
            let mut rest = items;
            while !rest.is_empty() {
                let inner = rest.strip_prefix('[').and_then(|rest| rest.split_once(']'));
                let (number, behind) = inner.ok_or_else(wrong)?;
                steps.push(Step::Item(number.parse().map_err(|_| wrong())?));
                rest = behind;
            }
        }
        Ok(ResponsePath { steps })
    }

    /// Returns the value at the path: a string as it is, and any other value as compact JSON.
    ///
    /// # Errors
    /// If the response has no such path, or null there.
    pub(super) fn text_in(&self, response: &Value) -> Result<String, PathError> {
        let mut value = response;
        let mut way = String::new();
        for step in &self.steps {
            let next = match step {
                Step::Field(name) => value.get(name),
                Step::Item(index) => value.get(index),
            };
            let Some(next) = next else {
                return Err(PathError::of_step(step, &way, value));
            };
            step.append_to(&mut way);
            value = next;
        }
        match value {
            Value::Null => Err(PathError::Null(way)),
            Value::String(text) => Ok(text.clone()),
            other => Ok(other.to_string()),
        }
    }
}

impl Step {
    fn append_to(&self, way: &mut String) {
        match self {
            Step::Field(name) if way.is_empty() => way.push_str(name),
            Step::Field(name) => {
                way.push('.');
                way.push_str(name);
            }
            Step::Item(index) => way.push_str(&format!("[{index}]")),
        }
    }
}

/// A response that has no answer at the path.
#[derive(Debug, thiserror::Error)]
pub(super) enum PathError {
    #[error("{place} has no `{name}`; {known}")]
    NoField {
        place: String,
        name: String,
        known: String,
    },
    #[error("{place}: expected an object with `{name}`, found {found}")]
    NotAnObject {
        place: String,
        name: String,
        found: &'static str,
    },
    #[error("{place} has no element [{index}]; its length is {count}")]
    NoItem {
        place: String,
        index: usize,
        count: usize,
    },
    #[error("{place}: expected an array, found {found}")]
    NotAnArray { place: String, found: &'static str },
    #[error("`{0}` in the response is null")]
    Null(String),
}

impl PathError {
    /// Describes a step that leads from the value at `way` to nothing.
    fn of_step(step: &Step, way: &str, value: &Value) -> PathError {
        let place = match way {
            "" => "the response".to_owned(),
            way => format!("`{way}` in the response"),
        };
        match (step, value) {
            (Step::Field(name), Value::Object(fields)) => PathError::NoField {
                place,
                name: name.clone(),
                known: known(fields),
            },
            (Step::Field(name), other) => PathError::NotAnObject {
                place,
                name: name.clone(),
                found: described(other),
            },
            (Step::Item(index), Value::Array(items)) => PathError::NoItem {
                place,
                index: *index,
                count: items.len(),
            },
            (Step::Item(_), other) => PathError::NotAnArray {
                place,
                found: described(other),
            },
        }
    }
}

/// Lists the first fields of an object.
fn known(fields: &Map<String, Value>) -> String {
    let keys: Vec<_> = fields.keys().take(10).map(String::as_str).collect();
    match keys.as_slice() {
        [] => "it is empty".to_owned(),
        keys => format!("it has {}", excerpt(&keys.join(", "))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn at(path: &str) -> Result<String, String> {
        let response = json!({"a": [{"b": "text"}, 5, null], "c": {"d": true}});
        let path = ResponsePath::parse(path).map_err(|error| error.to_string())?;
        path.text_in(&response).map_err(|error| error.to_string())
    }

    #[test]
    fn the_answer_is_found_at_its_path() {
        assert_eq!(at("a[0].b").unwrap(), "text");
        assert_eq!(at("a[1]").unwrap(), "5");
        assert_eq!(at("c").unwrap(), r#"{"d":true}"#);
        let list = ResponsePath::parse("[1][0].x").unwrap();
        assert_eq!(list.text_in(&json!([0, [{"x": "y"}]])).unwrap(), "y");
    }

    #[test]
    fn a_path_that_ends_early_says_where_and_what_is_there() {
        for (path, expected) in [
            ("x.y", "the response has no `x`; it has a, c"),
            (
                "a[7]",
                "`a` in the response has no element [7]; its length is 3",
            ),
            (
                "a.b",
                "`a` in the response: expected an object with `b`, found an array",
            ),
            (
                "c[0]",
                "`c` in the response: expected an array, found an object",
            ),
            ("a[2]", "`a[2]` in the response is null"),
        ] {
            assert_eq!(at(path).unwrap_err(), expected);
        }
    }

    #[test]
    fn an_invalid_path_is_refused() {
        for path in [
            "", ".a", "a..b", "a[", "a[x]", "a[0", "a[0]b", "a.[0]", "a[-1]",
        ] {
            assert!(ResponsePath::parse(path).is_err(), "{path}");
        }
    }
}
