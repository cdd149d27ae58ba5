//! Comparing the value of a field with the expected one.

use jiff::civil::Date;
use serde_json::Value;
use thiserror::Error;

use super::date::{self, DateFormat};
use super::number::quantity;
use crate::error::BuildError;
use crate::json::same;
use crate::options::Options;
use crate::words::{quoted, shown};

/// The way to compare a field.
#[derive(Debug)]
pub(super) enum Comparison {
    /// Equal JSON.
    Exact,
    /// A number within a tolerance.
    Number {
        tolerance: f64,
        /// True if the tolerance is a share of the expected number.
        relative: bool,
    },
    /// The same day, in one of these formats. Without any, in a format that cannot be misread.
    Date(Vec<DateFormat>),
}

#[derive(Clone, Copy)]
enum Match {
    Exact,
    Number,
    Date,
}

impl Comparison {
    pub(super) fn read(field: &Options<'_>) -> Result<Comparison, BuildError> {
        let known = [
            ("exact", Match::Exact),
            ("numeric_tolerance", Match::Number),
            ("date", Match::Date),
        ];
        Ok(match field.one_of("match", &known)? {
            None | Some(Match::Exact) => Comparison::Exact,
            Some(Match::Number) => Comparison::Number {
                tolerance: field.amount("tolerance")?.unwrap_or_default(),
                relative: field.flag("relative", false)?,
            },
            Some(Match::Date) => {
                let written = field.texts("formats")?.unwrap_or_default();
                let formats = written.into_iter().map(DateFormat::parse);
                let formats = formats.collect::<Result<_, _>>();
                Comparison::Date(formats.map_err(|problem| field.invalid("formats", problem))?)
            }
        })
    }

    /// Returns true if a value is as expected.
    ///
    /// # Errors
    /// Fails if the expected value cannot be compared this way, which says nothing about the
    /// answer.
    pub(super) fn holds(&self, found: &Value, expected: &Value) -> Result<bool, Incomparable> {
        match self {
            Comparison::Exact => Ok(same(found, expected)),
            // Equal texts are equal numbers and dates, in whatever format.
            _ if same_text(found, expected) => Ok(true),
            Comparison::Number {
                tolerance,
                relative,
            } => {
                let wanted = quantity(expected).ok_or_else(|| refuse("a number", expected))?;
                let Some(found) = quantity(found) else {
                    return Ok(false);
                };
                // 5 g is not 5 kg. A number without a unit may be of any.
                let has_unit =
                    found.unit == wanted.unit || found.unit.is_empty() || wanted.unit.is_empty();
                Ok(has_unit && is_near(found.number, wanted.number, *tolerance, *relative))
            }
            Comparison::Date(formats) => {
                let day = expected_day(expected, formats);
                let day = day.ok_or_else(|| refuse("an unambiguous date", expected))?;
                Ok(found_day(found, formats) == Some(day))
            }
        }
    }

    /// Explains that a value is not a date in one of the formats.
    pub(super) fn unreadable(&self, found: &Value) -> Option<String> {
        let Comparison::Date(formats) = self else {
            return None;
        };
        if found_day(found, formats).is_some() {
            return None;
        }
        let names = formats.iter().map(|format| quoted(format.written()));
        Some(match formats.as_slice() {
            [] if found.as_str().is_some_and(date::is_ambiguous) => {
                "which is not an unambiguous date".to_owned()
            }
            [] => "which is not a calendar date".to_owned(),
            [_] => format!("which is not in the format {}", names.collect::<String>()),
            _ => format!(
                "which is in none of the formats {}",
                names.collect::<Vec<_>>().join(", ")
            ),
        })
    }
}

/// An expected value that cannot be compared this way.
#[derive(Debug, Error)]
#[error("the expected value is not {what}: {expected}")]
pub(super) struct Incomparable {
    what: &'static str,
    expected: String,
}

fn refuse(what: &'static str, expected: &Value) -> Incomparable {
    Incomparable {
        what,
        expected: shown(expected),
    }
}

fn same_text(found: &Value, expected: &Value) -> bool {
    let text = |value: &Value| value.as_str().map(|text| text.trim().to_owned());
    text(found).is_some_and(|found| text(expected) == Some(found))
}

fn is_near(found: f64, expected: f64, tolerance: f64, relative: bool) -> bool {
    // A share of 0 would allow nothing, so the tolerance is absolute there.
    let allowed = if relative && expected != 0.0 {
        tolerance * expected.abs()
    } else {
        tolerance
    };
    // 1.1 is within 0.1 of 1, but not in binary.
    let rounding = 4.0 * f64::EPSILON * found.abs().max(expected.abs());
    (found - expected).abs() <= allowed + rounding
}

/// Reads the expected day. ISO dates are accepted here, whatever formats the answer must have.
fn expected_day(value: &Value, formats: &[DateFormat]) -> Option<Date> {
    found_day(value, formats).or_else(|| date::read_unambiguous(value.as_str()?))
}

fn found_day(value: &Value, formats: &[DateFormat]) -> Option<Date> {
    let text = value.as_str()?;
    match formats {
        [] => date::read_unambiguous(text),
        formats => date::read(text, formats),
    }
}
