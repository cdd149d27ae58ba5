//! One case, resolved: defaults applied, shorthands expanded, files found.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::{EvaluatorSpec, Execution, Extra, Message, Rubric};

/// A question and how its answer is graded.
///
/// The fields are those of a *resolved* case: whatever format and spelling it was written in,
/// [`input_messages`](Self::input_messages) holds the messages of `input` or `input_messages`, and
/// so on. `input()` and `expected_output()` are the same values under their other names. Two cases
/// are equal when they ask and grade the same, wherever they stand.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EvalCase {
    /// Unique within its file.
    pub id: String,
    /// The name of the dataset that the case belongs to.
    pub dataset: String,
    /// Groups cases that are not independent of each other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conversation_id: Option<String>,
    /// What a good answer achieves, in words. An AgentMark row may have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected_outcome: Option<String>,
    /// What the target is asked.
    pub input_messages: Vec<Message>,
    /// What a good answer looks like; empty where the case does not say.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub expected_messages: Vec<Message>,
    /// How the case is run.
    #[serde(default)]
    pub execution: Execution,
    /// How the answer is graded, with the dataset's defaults applied: all cases without evaluators
    /// of their own share those.
    #[serde(default, skip_serializing_if = "<[_]>::is_empty")]
    pub evaluators: Arc<[EvaluatorSpec]>,
    /// A checklist for the answer, graded before `evaluators`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rubrics: Vec<Rubric>,
    /// The files of `input_messages` that are guidelines, by path.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub guideline_files: Vec<String>,
    /// Values for templates, of an AgentMark row.
    #[serde(default, skip_serializing_if = "Extra::is_empty")]
    pub variables: Extra,
    /// Where the case was written. Not part of what the case is: it never makes two cases differ.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<Source>,
    /// Whatever else the user wrote in the case.
    #[serde(flatten)]
    pub extra: Extra,
}

impl EvalCase {
    /// What the target is asked: the same as `input_messages`.
    pub fn input(&self) -> &[Message] {
        &self.input_messages
    }

    /// What a good answer looks like: the same as `expected_messages`.
    pub fn expected_output(&self) -> &[Message] {
        &self.expected_messages
    }

    /// Everything that the answer is graded by: the checklist of `rubrics` in front, then the
    /// evaluators.
    pub fn graders(&self) -> Vec<EvaluatorSpec> {
        let mut graders = Vec::with_capacity(self.evaluators.len() + 1);
        if !self.rubrics.is_empty() {
            let mut checklist = EvaluatorSpec::of_kind(EvaluatorSpec::CHECKLIST_KIND);
            let taken = |name: &str| self.evaluators.iter().any(|spec| spec.name == name);
            if taken(&checklist.name) {
                let free = (2..)
                    .map(|n| format!("{}-{n}", EvaluatorSpec::CHECKLIST_KIND))
                    .find(|name| !taken(name));
                checklist.name = free.unwrap_or_default();
            }
            let rubrics = serde_json::to_value(&self.rubrics).unwrap_or_default();
            checklist.options.insert("rubrics".to_owned(), rubrics);
            graders.push(checklist);
        }
        graders.extend(self.evaluators.iter().cloned());
        graders
    }
}

/// Where a case was written.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Source {
    /// The file, as the user named it.
    pub file: String,
    /// The physical line on which the case begins, from 1.
    pub line: u64,
}

/// Always equal: a case is the same case on any line of any file.
impl PartialEq for Source {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}
