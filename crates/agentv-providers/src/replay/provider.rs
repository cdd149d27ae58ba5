//! The provider that gives recorded answers.

use std::path::Path;
use std::sync::Arc;

use agentv_core::{
    BoxFuture, Cause, ProgramFile, ProgramFiles, Provider, ProviderError, Request, Transcript,
};
use tokio_util::sync::CancellationToken;

use super::recording::{Recording, WantedAnswer};
use super::source;
use crate::program_path::{name_of, plain};
use crate::target::{SettingError, Settings};

/// A provider that gives the answers of a recording.
struct Replay {
    recording: Arc<Recording>,
    file: ProgramFile,
}

pub(crate) fn build(settings: &Settings) -> Result<Arc<dyn Provider>, SettingError> {
    let source = source::find(settings)?;
    let root = &settings.surroundings().root;
    let path = plain(&source.path);
    let file = ProgramFile {
        name: name_of(&path, root),
        path,
    };
    let recording = Recording::open(source, settings.name(), root);
    let recording = recording.map_err(|error| SettingError::of("path", error.to_string()))?;
    Ok(Arc::new(Replay {
        recording: Arc::new(recording),
        file,
    }))
}

impl Provider for Replay {
    fn program(&self, _: &Path) -> ProgramFiles {
        ProgramFiles {
            files: vec![self.file.clone()],
            unmatched: Vec::new(),
        }
    }

    fn answer<'a>(
        &'a self,
        request: &'a Request,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<Transcript, ProviderError>> {
        Box::pin(async move {
            if cancel.is_cancelled() {
                return Err(ProviderError::cancelled());
            }
            let recording = Arc::clone(&self.recording);
            let wanted = WantedAnswer {
                id: request.eval_id.clone(),
                trial: request.trial,
                eval_file: Arc::clone(&request.eval_file),
                folder: Arc::clone(&request.folder),
            };
            let looking = tokio::task::spawn_blocking(move || recording.answer(&wanted));
            looking.await.unwrap_or_else(|_| {
                let message = "the lookup in the recording was cancelled";
                Err(ProviderError::new(Cause::Cancelled, message))
            })
        })
    }
}
