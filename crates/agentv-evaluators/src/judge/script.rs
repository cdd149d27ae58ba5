//! A user's script that prints the prompt of a judge.

use std::path::PathBuf;

use agentv_core::{Extra, Subject};
use serde_json::json;

use super::fence::Fence;
use super::variables;
use crate::script::{Script, ScriptError, input};

/// A command that reads a case and its answer as JSON and prints the judge's prompt.
#[derive(Debug)]
pub(crate) struct PromptScript {
    pub(super) script: Script,
    pub(super) config: Extra,
    pub(super) root: PathBuf,
}

impl PromptScript {
    /// Runs the script. Besides the usual input it reads `delimited`: the variables of prompts
    /// inside the tags that the judge knows.
    pub(super) async fn run(
        &self,
        subject: &Subject<'_>,
        fence: &Fence,
    ) -> Result<String, ScriptError> {
        let turn = self.script.turn().await?;
        let mut input = input::of(subject, &self.root);
        let delimited = json!(variables::tagged(subject, fence));
        input.insert("delimited".to_owned(), delimited);
        let input = input::configured(input, &self.config);
        let printed = turn.run(input, &[]).await?;
        match printed.stdout.trim() {
            "" => Err(printed.unusable("printed nothing")),
            prompt => Ok(prompt.to_owned()),
        }
    }
}
