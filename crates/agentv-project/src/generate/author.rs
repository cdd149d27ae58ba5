//! The target that writes drafts.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use agentv_core::{ProviderError, Request, Secrets, Target};
use agentv_dataset::EditError;
use thiserror::Error;
use tokio_util::sync::CancellationToken;

use crate::error::ProjectError;
use crate::notices::Notices;
use crate::project::Project;

/// A draft that could not be made.
#[derive(Debug, Error)]
pub enum GenerateError {
    /// A file or a target is wrong.
    #[error(transparent)]
    Project(#[from] ProjectError),
    /// The target gave no answer.
    #[error("target `{target}`: {source}")]
    NoAnswer {
        /// The target.
        target: String,
        /// Its error.
        source: ProviderError,
    },
    /// The answer is not what was asked for.
    #[error("target `{target}` did not answer with {expected}: {answer}")]
    Unusable {
        /// The target.
        target: String,
        /// The form of the answer that was asked for.
        expected: &'static str,
        /// The beginning of the answer.
        answer: String,
    },
    /// The file cannot be edited.
    #[error(transparent)]
    Edit(#[from] EditError),
}

/// A target that writes drafts.
pub struct Author {
    target: Target,
    folder: Arc<Path>,
    secrets: Secrets,
}

impl Author {
    /// Makes a target ready. Without a name, it is the target `default`.
    ///
    /// # Errors
    /// If there is no such target, or it cannot be used.
    pub fn new(
        project: &Project,
        name: Option<&str>,
        targets: Option<&Path>,
        notices: &mut dyn Notices,
    ) -> Result<Author, ProjectError> {
        let known = project.targets(targets, notices)?;
        let (target, secrets) = known.ready(project, name.unwrap_or("default"), notices)?;
        Ok(Author {
            target,
            folder: project.working_dir().into(),
            secrets,
        })
    }

    /// Returns the values that must not be shown.
    pub fn secrets(&self) -> &Secrets {
        &self.secrets
    }

    /// Asks the target, and reads its answer.
    pub(super) async fn write<T>(
        &self,
        prompt: String,
        expected: &'static str,
        read: impl Fn(&str) -> Option<T>,
    ) -> Result<T, GenerateError> {
        let request = Request {
            eval_id: "generate".to_owned(),
            ..Request::of_text(prompt, Arc::clone(&self.folder), self.timeout())
        };
        let cancel = CancellationToken::new();
        let no_answer = |source| GenerateError::NoAnswer {
            target: self.target.name.clone(),
            source,
        };
        self.target
            .provider
            .prepare(&cancel)
            .await
            .map_err(no_answer)?;
        let transcript = self.target.provider.answer(&request, &cancel).await;
        let answer = self
            .secrets
            .redact(&transcript.map_err(no_answer)?.answer())
            .into_owned();
        read(&answer).ok_or_else(|| GenerateError::Unusable {
            target: self.target.name.clone(),
            expected,
            answer: answer.chars().take(200).collect(),
        })
    }

    /// Ends the target.
    pub async fn end(&self) {
        self.target.provider.end().await;
    }

    fn timeout(&self) -> Duration {
        self.target.limits.timeout
    }
}
