//! One case, resolved: defaults applied, shorthands expanded, files found.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::{
    DependencyFailure, EvaluatorSpec, Execution, Extra, Message, PassThreshold, Rubric,
    TurnFailure, WorkspaceSpec,
};

/// A question, and the expectations of a good answer.
///
/// The fields are those of a *resolved* case: whatever format and spelling it was written in,
/// [`input_messages`](Self::input_messages) holds the messages of `input` or `input_messages`, and
/// so on. `input()` and `expected_output()` return the same values under their other names. Two
/// cases are equal if they ask and grade the same, wherever they are written.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EvalCase {
    /// The id, unique within the file.
    pub id: String,
    /// The name of the dataset that the case belongs to.
    pub dataset: String,
    /// Groups cases that are not independent of each other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conversation_id: Option<String>,
    /// A description of what a good answer achieves. An AgentMark row may have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected_outcome: Option<String>,
    /// The input of the target.
    pub input_messages: Vec<Message>,
    /// The turns after the first, each asked after the answer to the one before it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub turns: Vec<FurtherTurn>,
    /// The effect on the conversation if the answer to a turn does not pass.
    #[serde(default, skip_serializing_if = "TurnFailure::is_default")]
    pub on_turn_failure: TurnFailure,
    /// The ids of the cases of the same file whose trials end before those of this case begin.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub depends_on: Vec<String>,
    /// The effect on the case if one of those errored.
    #[serde(default, skip_serializing_if = "DependencyFailure::is_default")]
    pub on_dependency_failure: DependencyFailure,
    /// A good answer; empty if the case has none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub expected_messages: Vec<Message>,
    /// Settings for running the case.
    #[serde(default)]
    pub execution: Execution,
    /// The evaluators, with the dataset's defaults applied. Cases without evaluators of their own
    /// share those.
    #[serde(default, skip_serializing_if = "<[_]>::is_empty")]
    pub evaluators: Arc<[EvaluatorSpec]>,
    /// The lowest score that passes, if the case, its dataset, the project or the command line sets one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pass_threshold: Option<PassThreshold>,
    /// A checklist for the answer, graded before `evaluators`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rubrics: Vec<Rubric>,
    /// The files of `input_messages` that are guidelines, by path.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub guideline_files: Vec<String>,
    /// The workspace that the case asks for. Cases without one of their own share that of the dataset.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workspace: Option<Arc<WorkspaceSpec>>,
    /// The template variables of an AgentMark row.
    #[serde(default, skip_serializing_if = "Extra::is_empty")]
    pub variables: Extra,
    /// The position in the eval file. It never makes two cases differ.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<Source>,
    /// All other fields of the case.
    #[serde(flatten)]
    pub extra: Extra,
}

/// A turn of a conversation after the first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FurtherTurn {
    /// The messages that are added after the answer to the turn before.
    pub input_messages: Vec<Message>,
    /// A good answer to this turn; empty if there is none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub expected_messages: Vec<Message>,
}

impl EvalCase {
    /// Returns the messages of the conversation in which a turn, from 1, is asked, given the messages of the target
    /// and of the turns so far; `None` if the target was not asked that often.
    pub fn conversation(&self, turn: usize, output: &[Message]) -> Option<Vec<Message>> {
        let mut messages = self.input_messages.clone();
        let mut rest = output;
        for further in self.turns.get(..turn.checked_sub(1)?)? {
            let asked = &further.input_messages;
            let at = (0..rest.len()).find(|at| rest[*at..].starts_with(asked))?;
            messages.extend_from_slice(&rest[..at + asked.len()]);
            rest = &rest[at + asked.len()..];
        }
        Some(messages)
    }

    /// Returns the number of turns that the target was asked, given the messages of the target and of the turns.
    pub fn turns_asked(&self, output: &[Message]) -> usize {
        let is_asked = |turn: &usize| self.conversation(*turn, output).is_some();
        (1..=self.turns.len() + 1).take_while(is_asked).count()
    }

    /// Returns the messages with which the target answered a turn, from 1; `None` if it was not asked that often.
    pub fn answer_to<'m>(&self, turn: usize, output: &'m [Message]) -> Option<&'m [Message]> {
        let mut rest = output;
        for further in self.turns.get(..turn.checked_sub(1)?)? {
            let asked = &further.input_messages;
            let at = (0..rest.len()).find(|at| rest[*at..].starts_with(asked))?;
            rest = &rest[at + asked.len()..];
        }
        let end = self.turns.get(turn - 1).and_then(|next| {
            let asked = &next.input_messages;
            (0..rest.len()).find(|at| rest[*at..].starts_with(asked))
        });
        Some(&rest[..end.unwrap_or(rest.len())])
    }

    /// Returns the input of the target: the same as `input_messages`.
    pub fn input(&self) -> &[Message] {
        &self.input_messages
    }

    /// Returns a good answer: the same as `expected_messages`.
    pub fn expected_output(&self) -> &[Message] {
        &self.expected_messages
    }

    /// Returns everything that grades the answer: the checklist of `rubrics`, then the evaluators.
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

/// The position of a case in its eval file.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Source {
    /// The file, as the user named it.
    pub file: String,
    /// The physical line on which the case begins, from 1.
    pub line: u64,
}

/// Always equal: the position is not part of a case.
impl PartialEq for Source {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_answer_to_a_turn_lies_between_the_messages_of_two_turns() {
        let message = |role: &str, text: &str| json!({"role": role, "content": text});
        let case: EvalCase = serde_json::from_value(json!({
            "id": "a", "dataset": "d", "input_messages": [message("user", "one")],
            "turns": [{"input_messages": [message("user", "two")]}, {"input_messages": [message("user", "three")]}],
        }))
        .unwrap();
        let output = ["a1", "a2", "two", "b", "three", "c"].map(|text| {
            let role = if text.len() > 2 { "user" } else { "assistant" };
            serde_json::from_value::<Message>(message(role, text)).unwrap()
        });
        let texts = |messages: &[Message]| -> Vec<String> {
            messages
                .iter()
                .map(|message| message.content.as_ref().unwrap().text())
                .collect()
        };
        assert_eq!(texts(case.answer_to(1, &output).unwrap()), ["a1", "a2"]);
        assert_eq!(texts(case.answer_to(2, &output).unwrap()), ["b"]);
        assert_eq!(texts(case.answer_to(3, &output).unwrap()), ["c"]);
        assert_eq!(case.answer_to(4, &output), None);
        assert_eq!(case.answer_to(0, &output), None);
        assert_eq!(
            texts(&case.conversation(2, &output).unwrap()),
            ["one", "a1", "a2", "two"]
        );
        assert_eq!(case.conversation(3, &output[..4]), None);
    }
}
