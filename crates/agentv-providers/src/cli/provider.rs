//! The provider that runs a command.

use std::path::Path;
use std::sync::Arc;

use agentv_core::{
    BatchProvider, BoxFuture, Cause, ProgramFiles, Provider, ProviderError, Request, TargetSandbox,
    Transcript,
};
use tokio_util::sync::CancellationToken;

use super::batch;
use super::command::Command;
use super::healthcheck::Healthcheck;
use super::inputs::Inputs;
use super::program::Program;
use super::temporary_files::TemporaryFiles;
use super::values::Values;
use super::words::words_of;
use crate::answer;
use crate::target::{SettingError, Settings, sandbox};

/// The most bytes that the answer to a case may have.
pub(super) const LARGEST_OUTPUT: usize = 64 << 20;

/// A provider that runs a command for each case, or one for all of them.
pub(super) struct Cli {
    pub(super) command: Command,
    healthcheck: Option<Healthcheck>,
    program: Program,
    pub(super) keep_temp_files: bool,
    batching: bool,
}

pub(crate) fn build(settings: &Settings) -> Result<Arc<dyn Provider>, SettingError> {
    let command = Command::of(settings)?;
    let batching = settings.flag("provider_batching")?.unwrap_or_default();
    if batching {
        batch::check(&command)?;
    }
    Ok(Arc::new(Cli {
        healthcheck: Healthcheck::of(settings)?,
        program: Program::of(
            words_of(&settings.fields),
            Inputs::of(settings)?,
            &settings.surroundings().root,
        ),
        keep_temp_files: settings.flag("keep_temp_files")?.unwrap_or_default(),
        command,
        batching,
    }))
}

impl Cli {
    async fn ask(
        &self,
        request: &Request,
        cancel: &CancellationToken,
    ) -> Result<Transcript, ProviderError> {
        let temporary = TemporaryFiles::new(
            &self.command,
            &request.eval_id,
            self.keep_temp_files,
            request.workspace.as_deref(),
        )?;
        let prompt = self.command.prompt(request);
        temporary.write_prompt(prompt.as_bytes()).await?;
        let values = Values {
            prompt: &prompt,
            guidelines: &request.prompt.guidelines,
            eval_id: &request.eval_id,
            attempt: request.attempt,
            files: &request.files,
            temporary: &temporary,
        };
        let output = self
            .command
            .run(&values, request, LARGEST_OUTPUT, cancel)
            .await;
        let output = temporary.explained(output)?;
        answer::of_output(&output).map_err(|reason| {
            let message = format!("the command's output is not an answer: {reason}");
            ProviderError::new(Cause::Answer, message)
        })
    }
}

impl Provider for Cli {
    fn answer<'a>(
        &'a self,
        request: &'a Request,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<Transcript, ProviderError>> {
        Box::pin(async move {
            if !self.batching {
                return self.ask(request, cancel).await;
            }
            let mut answers = self
                .answer_all(std::slice::from_ref(request), cancel)
                .await?;
            answers.remove(0)
        })
    }

    fn prepare<'a>(
        &'a self,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<(), ProviderError>> {
        Box::pin(async move {
            if let Some(sandbox) = &self.command.sandbox {
                sandbox::check(sandbox, cancel).await?;
            }
            let Some(healthcheck) = &self.healthcheck else {
                return Ok(());
            };
            let passed = healthcheck.pass(cancel).await;
            passed.map_err(|error| ProviderError {
                message: format!("the healthcheck failed: {error}"),
                ..error
            })
        })
    }

    fn program(&self, folder: &Path) -> ProgramFiles {
        self.program.files(&self.command.folder(folder))
    }

    fn has_inline_program(&self) -> bool {
        self.program.is_inline()
    }

    fn reads_files(&self) -> bool {
        true
    }

    /// A sandbox has nothing else that the command may change.
    fn needs_workspace(&self) -> bool {
        self.command.sandbox.is_some()
    }

    fn sandbox(&self) -> Option<&TargetSandbox> {
        self.command.sandbox.as_ref()
    }

    fn batch(&self) -> Option<&dyn BatchProvider> {
        self.batching.then_some(self)
    }
}

impl BatchProvider for Cli {
    fn answer_all<'a>(
        &'a self,
        requests: &'a [Request],
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<Vec<Result<Transcript, ProviderError>>, ProviderError>> {
        Box::pin(batch::answer_all(self, requests, cancel))
    }

    fn gets_requests(&self) -> bool {
        self.command.uses("PROMPT_FILE")
    }
}
