//! The messages to a judge.

use agentv_core::{Message, Prompt, Role};

use super::fence::Fence;
use super::form::Form;
use super::unusable::UnusableAnswer;
use crate::words::cut;

/// The maximum length of its own answer that a judge is shown, in characters.
const LONGEST_ANSWER: usize = 20_000;

/// The request to a judge: instructions and material.
pub(super) struct JudgeQuestion {
    instructions: String,
    material: String,
    wanted: String,
    fence: Fence,
}

impl JudgeQuestion {
    pub(super) fn new(form: &Form, material: String, fence: Fence) -> JudgeQuestion {
        let wanted = form.wanted();
        let instructions = format!(
            "{}\n\n{}\n\nReply with one JSON object and nothing else:\n{wanted}",
            form.instructions(),
            fence.declaration(),
        );
        JudgeQuestion {
            instructions,
            material,
            wanted,
            fence,
        }
    }

    /// Returns the first prompt.
    pub(super) fn prompt(&self) -> Prompt {
        let JudgeQuestion {
            instructions,
            material,
            ..
        } = self;
        Prompt {
            question: format!("{instructions}\n\n{material}"),
            guidelines: String::new(),
            messages: vec![
                Message::new(Role::System, instructions.as_str()),
                Message::new(Role::User, material.as_str()),
            ],
        }
    }

    /// Returns the prompt that asks the judge to correct an unusable answer.
    pub(super) fn repair(&self, answer: &str, wrong: &UnusableAnswer) -> Prompt {
        let mut prompt = self.prompt();
        let answer = cut(answer, LONGEST_ANSWER);
        let wanted = &self.wanted;
        let again = format!(
            "That reply could not be read: {wrong}. Give the same judgement again, as one JSON object \
             and nothing else:\n{wanted}"
        );
        let own = self.fence.wrap("your_reply", &answer);
        prompt.question.push_str(&format!(
            "\n\nYou have replied to this before:\n{own}\n\n{again}"
        ));
        // Some APIs refuse a message without text.
        let answer = match answer.trim() {
            "" => "(nothing)".to_owned(),
            answer => answer.to_owned(),
        };
        prompt.messages.push(Message::new(Role::Assistant, answer));
        prompt.messages.push(Message::new(Role::User, again));
        prompt
    }
}
