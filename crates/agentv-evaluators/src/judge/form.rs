//! The forms of a judge's answer.

use std::sync::Arc;

use serde_json::Value;

use super::checklist::Checklist;
use super::free_form;
use super::judgement::Judgement;
use super::pair_form;
use super::unusable::UnusableAnswer;

/// The form of answer that a judge is asked for.
#[derive(Debug)]
pub(crate) enum Form {
    /// One score for the whole.
    Free,
    /// A yes or no, or points, for each item.
    Checklist(Checklist),
    /// The better one of two answers.
    Pair,
}

impl Form {
    /// Returns the instructions for the judge.
    pub(super) fn instructions(&self) -> String {
        match self {
            Form::Free => free_form::INSTRUCTIONS.to_owned(),
            Form::Checklist(checklist) => checklist.instructions(),
            Form::Pair => pair_form::INSTRUCTIONS.to_owned(),
        }
    }

    /// Describes the requested JSON in words.
    pub(super) fn wanted(&self) -> String {
        match self {
            Form::Free => free_form::WANTED.to_owned(),
            Form::Checklist(checklist) => checklist.wanted(),
            Form::Pair => pair_form::WANTED.to_owned(),
        }
    }

    /// Returns the JSON Schema of the answer.
    pub(super) fn schema(&self) -> Arc<Value> {
        Arc::new(match self {
            Form::Free => free_form::schema(),
            Form::Checklist(checklist) => checklist.schema(),
            Form::Pair => pair_form::schema(),
        })
    }

    /// Reads the answer.
    ///
    /// # Errors
    /// Returns the problem of an unusable answer, in words for the judge.
    pub(super) fn read(&self, answer: &Value) -> Result<Judgement, UnusableAnswer> {
        match self {
            Form::Free => free_form::read(answer),
            Form::Checklist(checklist) => checklist.read(answer),
            Form::Pair => pair_form::read(answer),
        }
    }
}

/// Reads a number, also from a string.
pub(super) fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.trim().parse().ok(),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}
