//! One trial, planned: what it is about, what it needs, what is sent.

use std::path::PathBuf;
use std::sync::Arc;

use agentv_core::{Block, Content, EvalCase, Prompt, Request, TranscriptRecord};

use crate::eval_file::EvalFile;
use crate::schedule::lane::Lane;

/// One trial, planned.
#[derive(Debug)]
pub(crate) struct Job {
    pub(crate) file: Arc<EvalFile>,
    pub(crate) case: Arc<EvalCase>,
    pub(crate) lane: Arc<Lane>,
    pub(crate) trial: u32,
    pub(crate) answer_key: String,
    pub(crate) grade_key: String,
    pub(crate) work: Work,
    /// Whether a mock stands in for the target.
    pub(crate) dry_run: bool,
}

/// What a trial needs.
#[derive(Debug)]
pub(crate) enum Work {
    /// The target's answer, and its grade.
    Ask,
    /// The grade of an answer that stands in the journal.
    Grade(Box<TranscriptRecord>),
}
/// What the target is sent. A target that reads files is told where they are.
pub(crate) fn prompt_of(job: &Job) -> Prompt {
    if job.lane.target.provider.reads_files() {
        Prompt::by_path(&job.case, &job.file.root)
    } else {
        Prompt::of(&job.case)
    }
}

pub(crate) fn request_of(job: &Job, prompt: Prompt) -> Request {
    Request {
        eval_file: Arc::clone(&job.file.name),
        eval_id: job.case.id.clone(),
        prompt,
        files: files_of(&job.case, &job.file),
        folder: Arc::clone(&job.file.folder),
        trial: job.trial,
        attempt: 1,
        timeout: job.lane.target.limits.timeout,
        output_schema: None,
    }
}

/// The files of a case that are no guidelines, each once.
fn files_of(case: &EvalCase, file: &EvalFile) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for message in &case.input_messages {
        let Some(Content::Blocks(blocks)) = &message.content else {
            continue;
        };
        for block in blocks {
            if let Block::File(block) = block
                && let Some(path) = &block.path
                && !case.guideline_files.contains(path)
            {
                let path = file.root.join(path);
                if !files.contains(&path) {
                    files.push(path);
                }
            }
        }
    }
    files
}
