//! The common part of checks that compare texts: options, case and negation.

use std::borrow::Cow;

use agentv_core::{Evaluation, Score};
use agentv_syntax::shape::{BOOL, FILLED};
use agentv_syntax::{Field, Form, Shape};

use crate::error::BuildError;
use crate::options::Options;
use crate::words::{Findings, quoted};

pub(crate) const IGNORE_CASE: Field = Field {
    name: "ignore_case",
    shape: &BOOL,
    doc: "Whether to ignore the difference between upper and lower case (default: false).",
};

pub(crate) const NEGATE: Field = Field {
    name: "negate",
    shape: &BOOL,
    doc: "Whether to invert the check, so that it passes if it would fail (default: false).",
};

pub(crate) static TEXTS: Shape = Shape {
    expected: "an array of at least one string",
    forms: &[Form::List {
        items: &FILLED,
        at_least: 1,
    }],
};

/// The way in which a check compares texts.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Matching {
    pub(crate) ignore_case: bool,
    pub(crate) negate: bool,
}

impl Matching {
    pub(crate) fn read(options: &Options<'_>) -> Result<Matching, BuildError> {
        Ok(Matching {
            ignore_case: options.flag("ignore_case", false)?,
            negate: options.flag("negate", false)?,
        })
    }

    /// Returns the text in the form used for comparing.
    pub(crate) fn form<'t>(self, text: &'t str) -> Cow<'t, str> {
        if self.ignore_case {
            Cow::Owned(lower_case(text))
        } else {
            Cow::Borrowed(text)
        }
    }

    /// Returns the evaluation of a check. `fact` describes the result and becomes a hit or a miss.
    pub(crate) fn judge(self, holds: bool, fact: String) -> Evaluation {
        Evaluation::check(holds != self.negate, fact)
    }

    /// Returns the evaluation of a check with several facts.
    pub(crate) fn judge_all(self, holds: bool, facts: Findings) -> Evaluation {
        facts.evaluation(Score::of(holds != self.negate))
    }
}

/// Returns a text in lower case. It converts letter by letter, so a text that contains another
/// still does in lower case.
fn lower_case(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    lower_case_letters(text).collect()
}

/// Returns the letters of a text in lower case.
pub(crate) fn lower_case_letters(text: &str) -> impl Iterator<Item = char> {
    text.chars().flat_map(char::to_lowercase)
}

/// One of several texts to search for.
pub(crate) struct Sought {
    pub(crate) written: String,
    /// The text in the form used for comparing.
    pub(crate) form: String,
}

impl Sought {
    /// Reads the texts of the option `values`.
    pub(crate) fn read(
        options: &Options<'_>,
        matching: Matching,
    ) -> Result<Vec<Sought>, BuildError> {
        let values = options.texts("values")?.unwrap_or_default();
        if values.is_empty() {
            return Err(options.invalid("values", "expected at least one text"));
        }
        let sought = values.into_iter().map(|value| Sought {
            written: value.to_owned(),
            form: matching.form(value).into_owned(),
        });
        Ok(sought.collect())
    }
}

/// Says that an answer contains a text, or that it does not.
pub(crate) fn contains_fact(holds: bool, value: &str) -> String {
    let value = quoted(value);
    if holds {
        format!("contains {value}")
    } else {
        format!("does not contain {value}")
    }
}
