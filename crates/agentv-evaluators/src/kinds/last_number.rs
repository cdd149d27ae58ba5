//! `last_number`: the last number of the answer is the expected one.

use std::sync::Arc;

use agentv_core::{Evaluation, Evaluator, EvaluatorError, Subject};
use agentv_syntax::shape::AMOUNT;
use agentv_syntax::{Field, Kind, Others, Record};

use crate::builder::Builder;
use crate::check::{Check, evaluator};
use crate::error::BuildError;
use crate::kind::{EvaluatorKind, Facts};
use crate::options::Options;
use crate::wanted::{FILLED_WANTED, WantedText};
use crate::words::{figure, quoted};

pub(crate) static KIND: EvaluatorKind = EvaluatorKind {
    kind: Kind {
        name: "last_number",
        aliases: &[],
        doc: "Passes if the last number in the answer equals the last number in a text. Commas between digits are ignored.",
        options: Record {
            name: "last_number",
            fields: &[
                Field {
                    name: "value",
                    shape: &FILLED_WANTED,
                    doc: "The text with the expected number (default: the reference answer of the case). `{{ NAME }}` is replaced by a variable or field of the case.",
                },
                Field {
                    name: "tolerance",
                    shape: &AMOUNT,
                    doc: "The largest difference that passes (default: 0).",
                },
            ],
            required: &[],
            others: Others::Warn,
        },
        shorthand: Some("value"),
    },
    example: "\
- {type: last_number}
- {type: last_number, value: \"42\", tolerance: 0.5}
",
    facts: Facts::CHECK,
    build,
};

fn build(options: &Options<'_>, _: &Builder) -> Result<Arc<dyn Evaluator>, BuildError> {
    Ok(evaluator(LastNumber {
        value: WantedText::read(options)?,
        tolerance: options.amount("tolerance")?.unwrap_or(0.0),
    }))
}

struct LastNumber {
    value: WantedText,
    tolerance: f64,
}

impl Check for LastNumber {
    fn check(&self, subject: &Subject<'_>) -> Result<Evaluation, EvaluatorError> {
        let value = self.value.filled(subject)?;
        let Some(expected) = last_number(&value) else {
            let reason = "with which the answer is compared";
            let text = quoted(&value);
            return Err(EvaluatorError::new(format!(
                "there is no number in {text}, {reason}"
            )));
        };
        let wanted = figure(expected);
        let Some(found) = last_number(subject.answer) else {
            let fact = format!("has no number, expected {wanted}");
            return Ok(Evaluation::check(false, fact));
        };
        let holds = (found - expected).abs() <= self.tolerance;
        let fact = format!("the last number is {}, expected {wanted}", figure(found));
        Ok(Evaluation::check(holds, fact))
    }
}

/// Returns the last number in a text: digits with commas between them, a fraction, a sign before them.
fn last_number(text: &str) -> Option<f64> {
    let bytes = text.as_bytes();
    let is_digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let end = bytes.iter().rposition(u8::is_ascii_digit)? + 1;
    let mut start = end;
    while start > 0 {
        let before = start - 1;
        let is_part = is_digit(before)
            || matches!(bytes[before], b'.' | b',') && before > 0 && is_digit(before - 1);
        if !is_part {
            break;
        }
        start = before;
    }
    let has_sign = start > 0
        && bytes[start - 1] == b'-'
        && (start == 1 || !bytes[start - 2].is_ascii_alphanumeric());
    if has_sign {
        start -= 1;
    }
    let number: String = text[start..end].chars().filter(|it| *it != ',').collect();
    number.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::last_number;

    #[test]
    fn the_last_number_of_a_text_is_found() {
        for (text, expected) in [
            ("The answer is 42.", Some(42.0)),
            ("3 apples and 1,234.50 dollars", Some(1234.5)),
            ("#### -7", Some(-7.0)),
            ("from 5-7", Some(7.0)),
            ("x = -0.5!", Some(-0.5)),
            ("none", None),
            ("1.2.3", None),
        ] {
            assert_eq!(last_number(text), expected, "{text}");
        }
    }
}
