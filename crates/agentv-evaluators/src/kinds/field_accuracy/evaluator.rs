//! The evaluator that compares fields of an answer.

use std::borrow::Cow;
use std::sync::Arc;

use agentv_core::{Content, Evaluation, Evaluator, EvaluatorError, Role, Score, Subject};
use serde_json::{Value, json};

use super::comparison::Comparison;
use super::path::Path;
use crate::builder::Builder;
use crate::check::{Check, evaluator};
use crate::error::BuildError;
use crate::json;
use crate::options::Options;
use crate::words::{Findings, quoted, shown};

pub(super) fn build(options: &Options<'_>, _: &Builder) -> Result<Arc<dyn Evaluator>, BuildError> {
    let fields = options.objects("fields")?.unwrap_or_default();
    if fields.is_empty() {
        return Err(options.invalid("fields", "expected at least one field"));
    }
    let fields = fields.iter().map(Compared::read);
    let aggregations = [("weighted_average", false), ("all_or_nothing", true)];
    let all_or_nothing = options.one_of("aggregation", &aggregations)?;
    Ok(evaluator(FieldAccuracy {
        fields: fields.collect::<Result<_, _>>()?,
        all_or_nothing: all_or_nothing.unwrap_or_default(),
    }))
}

/// One field to compare.
struct Compared {
    /// The path as the user wrote it.
    name: String,
    path: Path,
    comparison: Comparison,
    /// True if the field counts even if the answer does not have it.
    required: bool,
    weight: f64,
}

impl Compared {
    fn read(field: &Options<'_>) -> Result<Compared, BuildError> {
        let name = field.required_text("path")?;
        Ok(Compared {
            name: name.to_owned(),
            path: Path::parse(name).map_err(|problem| field.invalid("path", problem))?,
            comparison: Comparison::read(field)?,
            required: field.flag("required", true)?,
            weight: field.amount("weight")?.unwrap_or(1.0),
        })
    }

    /// Judges the field and adds a finding.
    fn judge(
        &self,
        answer: &Value,
        expected: &Value,
        findings: &mut Findings,
    ) -> Result<Outcome, EvaluatorError> {
        let name = quoted(&self.name);
        let Some(expected) = self.path.find(expected) else {
            findings.add(true, || format!("{name}: no value is expected"));
            return Ok(Outcome::Hit);
        };
        let Some(found) = self.path.find(answer) else {
            if !self.required {
                return Ok(Outcome::Uncounted);
            }
            let expected = shown(expected);
            findings.add(false, || {
                format!("{name}: expected {expected}, found nothing")
            });
            return Ok(Outcome::Miss);
        };
        let holds = self.comparison.holds(found, expected);
        let holds = holds.map_err(|problem| EvaluatorError(format!("{name}: {problem}")))?;
        findings.add(holds, || {
            if holds {
                format!("{name}: {}", shown(found))
            } else {
                let (wanted, shown) = (shown(expected), shown(found));
                let why = self.comparison.unreadable(found);
                let why = why.map(|why| format!(", {why}")).unwrap_or_default();
                format!("{name}: expected {wanted}, found {shown}{why}")
            }
        });
        Ok(if holds { Outcome::Hit } else { Outcome::Miss })
    }
}

/// The result of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Hit,
    Miss,
    /// Optional, and not in the answer.
    Uncounted,
}

impl Outcome {
    fn name(self) -> &'static str {
        match self {
            Outcome::Hit => "hit",
            Outcome::Miss => "miss",
            Outcome::Uncounted => "not counted",
        }
    }
}

struct FieldAccuracy {
    fields: Vec<Compared>,
    all_or_nothing: bool,
}

impl Check for FieldAccuracy {
    fn check(&self, subject: &Subject<'_>) -> Result<Evaluation, EvaluatorError> {
        let expected = expected(subject)?;
        let answer = match json::parse(subject.answer) {
            Ok(answer) => answer,
            Err(reason) => return Ok(Evaluation::check(false, reason.to_string())),
        };
        let mut findings = Findings::default();
        let outcomes = self
            .fields
            .iter()
            .map(|field| field.judge(&answer, &expected, &mut findings))
            .collect::<Result<Vec<_>, _>>()?;
        let mut evaluation = findings.evaluation(self.score(&outcomes));
        if outcomes
            .iter()
            .all(|outcome| *outcome == Outcome::Uncounted)
        {
            let reason = "all fields are optional, and the answer has none of them";
            evaluation.reasoning = Some(reason.to_owned());
        }
        evaluation.details = Some(self.details(&outcomes));
        Ok(evaluation)
    }
}

impl FieldAccuracy {
    fn score(&self, outcomes: &[Outcome]) -> Score {
        let counted = self
            .fields
            .iter()
            .zip(outcomes)
            .filter(|(_, outcome)| **outcome != Outcome::Uncounted)
            .map(|(field, outcome)| (Score::of(*outcome == Outcome::Hit), field.weight));
        if !self.all_or_nothing {
            return Score::weighted_mean(counted);
        }
        let mut weighty = counted.filter(|(_, weight)| *weight > 0.0).peekable();
        let is_anything = weighty.peek().is_some();
        Score::of(is_anything && weighty.all(|(score, _)| score == Score::ONE))
    }

    fn details(&self, outcomes: &[Outcome]) -> Value {
        let fields = self.fields.iter().zip(outcomes);
        let fields = fields.map(|(field, outcome)| {
            json!({"path": field.name, "result": outcome.name(), "weight": field.weight})
        });
        json!({ "fields": fields.collect::<Vec<_>>() })
    }
}

/// Returns the expected value: the content of the last expected assistant message.
fn expected<'s>(subject: &Subject<'s>) -> Result<Cow<'s, Value>, EvaluatorError> {
    let messages = subject.case.expected_messages.iter().rev();
    let mut contents = messages
        .filter(|message| message.role == Role::Assistant)
        .filter_map(|message| message.content.as_ref());
    match contents.next() {
        Some(Content::Structured(value)) => Ok(Cow::Borrowed(value)),
        Some(content) => json::parse(&content.text())
            .map(Cow::Owned)
            .map_err(|_| EvaluatorError("the expected answer of the case is not JSON".to_owned())),
        None => Err(EvaluatorError(
            "nothing to compare with: the case has no expected answer".to_owned(),
        )),
    }
}
