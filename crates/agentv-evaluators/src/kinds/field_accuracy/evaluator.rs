//! The evaluator that compares fields of an answer.

use std::borrow::Cow;
use std::sync::Arc;

use agentv_core::{Content, Evaluation, Evaluator, EvaluatorError, Score, Subject};
use serde_json::{Value, json};

use super::answer::json_of;
use super::comparison::Comparison;
use super::path::Path;
use crate::builder::Builder;
use crate::check::{Check, evaluator};
use crate::error::BuildError;
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
            return Ok(Outcome::NotExpected);
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
        let holds = holds.map_err(|problem| EvaluatorError::new(format!("{name}: {problem}")))?;
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
    /// Not in the expected answer, so there is nothing to compare with.
    NotExpected,
}

impl Outcome {
    fn name(self) -> &'static str {
        match self {
            Outcome::Hit => "hit",
            Outcome::Miss => "miss",
            Outcome::Uncounted => "not counted",
            Outcome::NotExpected => "not expected",
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
        self.refuse_unknown(&expected)?;
        let answer = match json_of(subject.answer) {
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
        evaluation.reasoning = self.remark(&outcomes);
        evaluation.details = Some(self.details(&outcomes));
        Ok(evaluation)
    }
}

impl FieldAccuracy {
    /// Refuses an expected answer that has none of the fields: there is nothing to compare with.
    fn refuse_unknown(&self, expected: &Value) -> Result<(), EvaluatorError> {
        if self
            .fields
            .iter()
            .any(|field| field.path.find(expected).is_some())
        {
            return Ok(());
        }
        let names = self.fields.iter().map(|field| quoted(&field.name));
        let names = names.collect::<Vec<_>>().join(", ");
        let reason = format!("nothing to compare: the expected answer has no field {names}");
        Err(EvaluatorError::new(reason))
    }

    /// Names the fields that were not compared.
    fn remark(&self, outcomes: &[Outcome]) -> Option<String> {
        let with = |wanted: Outcome| {
            let fields = self.fields.iter().zip(outcomes);
            let fields = fields.filter(move |(_, outcome)| **outcome == wanted);
            let names = fields.map(|(field, _)| quoted(&field.name));
            names.collect::<Vec<_>>().join(", ")
        };
        let counts = |outcome: &Outcome| matches!(outcome, Outcome::Hit | Outcome::Miss);
        match (with(Outcome::NotExpected), outcomes.iter().any(counts)) {
            (names, true) if names.is_empty() => None,
            (names, true) => Some(format!(
                "not compared: the expected answer has no field {names}"
            )),
            (_, false) => Some(format!(
                "all fields are optional, and the answer has none of them: {}",
                with(Outcome::Uncounted)
            )),
        }
    }

    fn score(&self, outcomes: &[Outcome]) -> Score {
        let counted = self
            .fields
            .iter()
            .zip(outcomes)
            .filter(|(_, outcome)| matches!(outcome, Outcome::Hit | Outcome::Miss))
            .map(|(field, outcome)| (Score::of(*outcome == Outcome::Hit), field.weight));
        if !self.all_or_nothing {
            return Score::weighted_mean(counted);
        }
        // Nothing may be missed here, whatever its weight.
        let mut counted = counted.peekable();
        let is_anything = counted.peek().is_some();
        Score::of(is_anything && counted.all(|(score, _)| score == Score::ONE))
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
    match subject.reference_content() {
        Some(Content::Structured(value)) => Ok(Cow::Borrowed(value)),
        Some(content) => json_of(&content.text())
            .map(Cow::Owned)
            .map_err(|_| EvaluatorError::new("the expected answer of the case is not JSON")),
        None => Err(EvaluatorError::new(
            "nothing to compare with: the case has no expected answer".to_owned(),
        )),
    }
}
