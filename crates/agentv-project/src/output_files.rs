//! The files that a run writes for the user, which must not be files that it reads.

use std::fs::File;
use std::io::Read;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use agentv_core::{Block, Content, EvalCase, EvalFile};
use agentv_dataset::{Project as ProjectFolder, sidecar_path};
use agentv_runner::{AnswerSource, CaseSource, GivenRecord, SourceError};

use crate::error::ProjectError;
use crate::graders::ProjectGraders;

/// A file that the caller of a run is going to write.
#[derive(Debug, Clone, Copy)]
pub struct OutputFile<'a> {
    /// The flag that names it.
    pub flag: &'static str,
    /// Its content, as a plural noun.
    pub content: &'static str,
    /// Its path.
    pub path: &'a Path,
}

/// The files that a run reads.
pub(crate) struct ReadFiles<'a> {
    /// The folder of all runs.
    pub(crate) results: &'a Path,
    /// The files that are known without their cases.
    pub(crate) files: Vec<PathBuf>,
    /// The source of the files that evaluators read.
    pub(crate) graders: &'a ProjectGraders,
    /// The cases, which name further files.
    pub(crate) cases: CasesRead<'a>,
}

/// The cases of a run.
pub(crate) enum CasesRead<'a> {
    Asked(&'a dyn CaseSource),
    Graded(&'a dyn AnswerSource),
}

impl ReadFiles<'_> {
    /// Checks that no output replaces another, a run, or a file that is read.
    ///
    /// # Errors
    /// Names the first output that does.
    pub(crate) fn refuse(&self, outputs: &[OutputFile<'_>]) -> Result<(), ProjectError> {
        for (at, output) in outputs.iter().enumerate() {
            let mut earlier = outputs[..at].iter();
            if let Some(other) = earlier.find(|other| is_same_path(other.path, output.path)) {
                let reason = format!("`{}` writes to that file too", other.flag);
                return Err(refused(output, &reason));
            }
            if resolved(output.path).starts_with(resolved(self.results)) {
                return Err(refused(output, "that folder holds the records of runs"));
            }
            if self
                .files
                .iter()
                .any(|read| is_same_path(read, output.path))
            {
                return Err(overwrites(output));
            }
        }
        // A pass over all cases is only worth it for a file that a user wrote.
        let written = outputs
            .iter()
            .filter(|output| output.path.is_file() && !is_earlier_output(output.path));
        let written: Vec<_> = written
            .map(|output| (output, resolved(output.path)))
            .collect();
        if written.is_empty() {
            return Ok(());
        }
        let mut overwritten = None;
        let visited = self.cases.visit(&mut |file, case| {
            let read = files_of_case(file, case).chain(self.graders.read_paths(file, case));
            let read: Vec<PathBuf> = read.map(|path| resolved(&path)).collect();
            let mut written = written.iter();
            overwritten = written.find(|(_, path)| read.contains(path));
            match overwritten {
                Some(_) => ControlFlow::Break(()),
                None => ControlFlow::Continue(()),
            }
        });
        visited.map_err(ProjectError::from_error)?;
        match overwritten {
            Some((output, _)) => Err(overwrites(output)),
            None => Ok(()),
        }
    }
}

impl CasesRead<'_> {
    fn visit(
        &self,
        visit: &mut dyn FnMut(&EvalFile, &EvalCase) -> ControlFlow<()>,
    ) -> Result<(), SourceError> {
        match self {
            CasesRead::Asked(source) => source.visit(&mut |file, case| visit(file, &case)),
            CasesRead::Graded(source) => source.visit(&mut |file, given| match given {
                GivenRecord::Answer(record) => visit(file, &record.case),
                GivenRecord::Error(_) => ControlFlow::Continue(()),
            }),
        }
    }
}

/// Returns the files around an eval file that every run of it reads.
pub(crate) fn files_around(eval_file: &Path, folder: &ProjectFolder) -> Vec<PathBuf> {
    let around = sidecar_path(eval_file).into_iter();
    let around = around.chain(folder.config_file());
    around.chain([eval_file.to_owned()]).collect()
}

/// Returns true if a file is empty or contains results or events, as an earlier run wrote it.
pub(crate) fn is_earlier_output(path: &Path) -> bool {
    const STARTS: [&[u8]; 4] = [b"{\"timestamp\":", b"{\"event\":", b"- timestamp:", b"[]\n"];
    let mut start = Vec::new();
    let read = File::open(path).and_then(|file| file.take(64).read_to_end(&mut start));
    read.is_ok() && (start.is_empty() || STARTS.iter().any(|known| start.starts_with(known)))
}

/// Checks if two paths lead to the same file, which need not exist.
pub(crate) fn is_same_path(one: &Path, other: &Path) -> bool {
    resolved(one) == resolved(other)
}

/// Returns a path with all links followed, as far as it exists.
fn resolved(path: &Path) -> PathBuf {
    if let Ok(found) = std::fs::canonicalize(path) {
        return found;
    }
    match (path.parent(), path.file_name()) {
        (Some(folder), Some(name)) if folder.as_os_str().is_empty() => {
            resolved(Path::new(".")).join(name)
        }
        (Some(folder), Some(name)) => resolved(folder).join(name),
        _ => path.to_owned(),
    }
}

/// Returns the files that the messages of a case contain.
fn files_of_case(file: &EvalFile, case: &EvalCase) -> impl Iterator<Item = PathBuf> {
    let messages = case.input_messages.iter().chain(&case.expected_messages);
    let blocks = messages.filter_map(|message| match &message.content {
        Some(Content::Blocks(blocks)) => Some(blocks),
        _ => None,
    });
    let paths = blocks.flatten().filter_map(|block| match block {
        Block::File(block) => block.path.as_deref(),
        _ => None,
    });
    paths.map(|path| file.root.join(path))
}

fn overwrites(output: &OutputFile<'_>) -> ProjectError {
    let OutputFile {
        flag,
        content,
        path,
    } = output;
    let shown = path.display();
    ProjectError::with_hint(
        format!("`{flag}` would overwrite `{shown}`, which the run reads"),
        format!("choose a different file for the {content}"),
    )
}

fn refused(output: &OutputFile<'_>, reason: &str) -> ProjectError {
    let OutputFile {
        flag,
        content,
        path,
    } = output;
    let shown = path.display();
    ProjectError::with_hint(
        format!("`{flag}` cannot write to `{shown}`: {reason}"),
        format!("choose a different file for the {content}"),
    )
}
