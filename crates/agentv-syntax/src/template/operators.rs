//! Filters that [`rewrite`](super::rewrite) puts around the operands of operators.
//!
//! No template can name them: they have characters that no name has.

use std::fmt::Write as _;

use minijinja::value::ValueKind;
use minijinja::{Environment, Error, ErrorKind, Output, State, Value};

use super::error::Limit;
use super::meter::{LARGEST, Meter, VALUE, weight};

/// Pays for a value that is read once, as in a comparison.
pub(super) const READ: &str = "<read>";
/// Pays for a value that becomes part of a new one.
pub(super) const COPY: &str = "<copy>";
/// Pays for looking up an item of a value.
pub(super) const ITEM: &str = "<item>";
/// Refuses anything but a number.
pub(super) const NUMBER: &str = "<number>";
/// Turns a sequence that is computed on demand into a list.
pub(super) const LIST: &str = "<list>";

/// Bytes that are compared or searched in the time in which one is copied and converted.
pub(super) const READ_PER_COPY: u64 = 16;

/// Adds the filters, and writes values through the meter.
pub(super) fn add(environment: &mut Environment<'_>) {
    environment.add_filter(READ, read);
    environment.add_filter(COPY, copy);
    environment.add_filter(ITEM, item);
    environment.add_filter(NUMBER, number);
    environment.add_filter(LIST, list);
    environment.set_formatter(write);
}

fn read(state: &mut State<'_, '_>, value: Value) -> Result<Value, Error> {
    let price = weight(std::slice::from_ref(&value))? / READ_PER_COPY;
    Meter::of(state).handle(price)?;
    Ok(value)
}

fn copy(state: &mut State<'_, '_>, value: Value) -> Result<Value, Error> {
    let price = weight(std::slice::from_ref(&value))?;
    Meter::of(state).handle(price)?;
    Ok(value)
}

fn item(state: &mut State<'_, '_>, value: Value) -> Result<Value, Error> {
    match value.kind() {
        // Both find an item without going through the others.
        ValueKind::Seq | ValueKind::Map => {
            Meter::of(state).handle(VALUE / READ_PER_COPY)?;
            Ok(value)
        }
        _ => read(state, value),
    }
}

fn number(value: Value) -> Result<Value, Error> {
    match value.kind() {
        ValueKind::Number | ValueKind::Bool | ValueKind::Undefined | ValueKind::None => Ok(value),
        kind => Err(Error::new(
            ErrorKind::InvalidOperation,
            format!("`*` multiplies numbers, found a {kind}"),
        )),
    }
}

/// Turns a sequence that is computed on demand into a list, so that using it again costs no more.
pub(super) fn list(state: &mut State<'_, '_>, value: Value) -> Result<Value, Error> {
    if value.kind() != ValueKind::Iterable {
        return Ok(value);
    }
    let price = weight(std::slice::from_ref(&value))?;
    Meter::of(state).handle(price)?;
    Ok(value.try_iter()?.collect::<Vec<Value>>().into())
}

/// Writes a value into the text.
fn write(out: &mut Output<'_>, state: &mut State<'_, '_>, value: &Value) -> Result<(), Error> {
    if let Some(text) = value.as_str() {
        Meter::of(state).write(text.len())?;
        return Ok(out.write_str(text)?);
    }
    weight(std::slice::from_ref(value))?;
    let mut text = Bounded(String::new());
    write!(text, "{value}").map_err(|_| Limit::Output)?;
    Meter::of(state).write(text.0.len())?;
    Ok(out.write_str(&text.0)?)
}

/// A text that refuses to grow beyond the largest one.
struct Bounded(String);

impl std::fmt::Write for Bounded {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        if self.0.len() + text.len() > LARGEST {
            return Err(std::fmt::Error);
        }
        self.0.push_str(text);
        Ok(())
    }
}
