//! The request that a trial sends to its target.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use agentv_core::{ActivityChannel, Allowance, Block, Content, EvalCase, Prompt, Request, Trial};

/// Returns the prompt of a trial. A target that reads files gets their paths.
pub(crate) fn prompt_of(trial: &Trial) -> Prompt {
    prompt_of_case(trial, &trial.case)
}

/// Returns the prompt of a case in a trial.
pub(crate) fn prompt_of_case(trial: &Trial, case: &EvalCase) -> Prompt {
    if trial.reads_files {
        Prompt::by_path(case, &trial.file.root)
    } else {
        Prompt::of(case)
    }
}

/// Returns the first request of a trial.
pub(crate) fn request_of(trial: &Trial, prompt: Prompt, timeout: Duration) -> Request {
    Request {
        eval_file: Arc::clone(&trial.file.name),
        eval_id: trial.case.id.clone(),
        prompt,
        further: Vec::new(),
        files: files_of(trial),
        folder: Arc::clone(&trial.file.folder),
        root: Arc::clone(&trial.file.root),
        trial: trial.number,
        attempt: 1,
        timeout,
        output_schema: None,
        workspace: None,
        allowance: Allowance::default(),
        activity: ActivityChannel::default(),
        exchanges: None,
    }
}

/// Returns the files of a case, including guidelines, each once.
fn files_of(trial: &Trial) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for message in &trial.case.input_messages {
        let Some(Content::Blocks(blocks)) = &message.content else {
            continue;
        };
        for block in blocks {
            if let Block::File(block) = block
                && let Some(path) = &block.path
            {
                let path = trial.file.root.join(path);
                if !files.contains(&path) {
                    files.push(path);
                }
            }
        }
    }
    files
}
