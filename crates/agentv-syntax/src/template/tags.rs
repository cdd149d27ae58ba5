//! Tags around text from others, where it is written into the prompt.

use std::io::Write;
use std::sync::Arc;

use minijinja::value::ValueKind;
use minijinja::{Environment, Error, ErrorKind, State, Value};

use super::error::Limit;
use super::meter::{LARGEST, Meter, weight};

/// The filter that [`rewrite`](super::rewrite) puts around text from others. No template can name it.
pub(super) const TAGGED: &str = "<tagged>";
/// The variable that holds the function.
pub(super) const TAGS: &str = "<tags>";

/// Variables with text that others wrote, and the function that puts such text between tags. It gets the
/// name of the variable and the text.
#[derive(Clone)]
pub struct Untrusted<'n> {
    /// The names of the variables.
    pub names: &'n [&'n str],
    /// Puts text between tags.
    pub tag: Arc<Tag>,
}

/// Puts text of the variable with this name between tags.
pub type Tag = dyn Fn(&str, &str) -> String + Send + Sync;

/// Adds the filter.
pub(super) fn add(environment: &mut Environment<'_>) {
    environment.add_filter(TAGGED, tagged);
}

/// Returns the function as a value.
pub(super) fn function(untrusted: &Untrusted<'_>) -> Value {
    let tag = Arc::clone(&untrusted.tag);
    Value::from_function(move |variable: &str, text: &str| tag(variable, text))
}

/// Puts a text between tags. Lists and objects become JSON. Numbers need no tags.
fn tagged(state: &mut State<'_, '_>, value: Value, variable: Value) -> Result<Value, Error> {
    let text = match value.kind() {
        ValueKind::Undefined | ValueKind::None | ValueKind::Bool | ValueKind::Number => {
            return Ok(value);
        }
        ValueKind::Seq | ValueKind::Map | ValueKind::Iterable => Value::from(json(&value)?),
        _ => Value::from(value.to_string()),
    };
    let length = text.as_str().map_or(0, str::len);
    Meter::of(state).handle(length as u64)?;
    match state.lookup(TAGS) {
        Some(function) => function.call(state, &[variable, text]),
        None => Ok(text),
    }
}

fn json(value: &Value) -> Result<String, Error> {
    weight(std::slice::from_ref(value))?;
    let mut json = Bounded(Vec::new());
    let written = serde_json::to_writer_pretty(&mut json, value);
    written.map_err(|error| {
        if error.is_io() {
            Error::from(Limit::Output)
        } else {
            Error::new(ErrorKind::BadSerialization, error.to_string())
        }
    })?;
    let text = String::from_utf8(json.0);
    text.map_err(|error| Error::new(ErrorKind::BadSerialization, error.to_string()))
}

/// Bytes that refuse to grow beyond the largest text.
struct Bounded(Vec<u8>);

impl Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if self.0.len() + bytes.len() > LARGEST {
            return Err(std::io::ErrorKind::FileTooLarge.into());
        }
        self.0.write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
