//! The common part of checks that compare texts: options, case and negation.

use std::borrow::Cow;

use agentv_core::{Content, Evaluation, EvaluatorError, Score, Subject};
use agentv_syntax::Field;
use agentv_syntax::shape::BOOL;
use serde_json::Value;

use crate::error::BuildError;
use crate::options::Options;
use crate::wanted::{WantedText, is_template};
use crate::words::{Findings, quoted};

pub(crate) const IGNORE_CASE: Field = Field {
    name: "ignore_case",
    shape: &BOOL,
    doc: "True to ignore the difference between upper and lower case (default: false).",
};

pub(crate) const TRIM: Field = Field {
    name: "trim",
    shape: &BOOL,
    doc: "True to ignore white space around the answer and the text (default: false).",
};

/// The way in which a check compares texts.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Matching {
    pub(crate) ignore_case: bool,
    pub(crate) negate: bool,
    trim: bool,
}

impl Matching {
    pub(crate) fn read(options: &Options<'_>) -> Result<Matching, BuildError> {
        Ok(Matching {
            ignore_case: options.flag("ignore_case", false)?,
            negate: options.flag("negate", false)?,
            trim: options.flag("trim", false)?,
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

    /// Returns a text without the white space around it, if that does not count.
    pub(crate) fn trimmed(self, text: &str) -> &str {
        if self.trim { text.trim() } else { text }
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

/// The texts to search for: those of the option `values`, or those of the reference answer.
pub(crate) enum SoughtTexts {
    Fixed(Vec<Sought>),
    /// Texts of which at least one has variables of the case.
    Templates(Vec<WantedText>, Matching),
    Reference(Matching),
}

impl SoughtTexts {
    /// Reads the option `values`.
    pub(crate) fn read(
        options: &Options<'_>,
        matching: Matching,
    ) -> Result<SoughtTexts, BuildError> {
        let Some(values) = options.texts("values")? else {
            return Ok(SoughtTexts::Reference(matching));
        };
        if values.is_empty() {
            return Err(options.invalid("values", "expected at least one text"));
        }
        if !values.iter().any(|value| is_template(value)) {
            let sought = values.into_iter();
            let sought = sought.map(|value| Sought::of(value.to_owned(), matching));
            return Ok(SoughtTexts::Fixed(sought.collect()));
        }
        let templates = values.into_iter().map(WantedText::written);
        let templates = templates.collect::<Result<Vec<_>, _>>();
        let templates = templates.map_err(|problem| options.invalid("values", problem))?;
        Ok(SoughtTexts::Templates(templates, matching))
    }

    /// Returns the texts for a case. A reference answer that is a list has several.
    ///
    /// # Errors
    /// Fails if the case has no reference answer, lacks a variable of a template, or one of its texts is empty.
    pub(crate) fn of(&self, subject: &Subject<'_>) -> Result<Cow<'_, [Sought]>, EvaluatorError> {
        let matching = match self {
            SoughtTexts::Fixed(sought) => return Ok(Cow::Borrowed(sought)),
            SoughtTexts::Templates(templates, matching) => {
                let texts = templates.iter().map(|template| {
                    let text = template.filled(subject)?;
                    Ok(Sought::of(text.into_owned(), *matching))
                });
                return texts.collect::<Result<Vec<_>, _>>().map(Cow::Owned);
            }
            SoughtTexts::Reference(matching) => *matching,
        };
        let texts = match subject.reference_content() {
            Some(Content::Structured(Value::Array(items))) => {
                let texts = items.iter().map(|item| item.as_str().map(str::to_owned));
                texts.collect::<Option<Vec<String>>>()
            }
            Some(content) => Some(vec![content.text()]),
            None => None,
        };
        let usable =
            texts.filter(|texts| !texts.is_empty() && texts.iter().all(|text| !text.is_empty()));
        let Some(texts) = usable else {
            return Err(EvaluatorError::new(
                "nothing to compare with: give the evaluator `values`, or the case an expected \
                 answer that is a text or a list of texts"
                    .to_owned(),
            ));
        };
        let sought = texts.into_iter().map(|text| Sought::of(text, matching));
        Ok(Cow::Owned(sought.collect()))
    }
}

/// One of several texts to search for.
#[derive(Clone)]
pub(crate) struct Sought {
    pub(crate) written: String,
    /// The text in the form used for comparing.
    pub(crate) form: String,
}

impl Sought {
    fn of(written: String, matching: Matching) -> Sought {
        Sought {
            form: matching.form(&written).into_owned(),
            written,
        }
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
