//! The files that cases embed and evaluators read, by their digests.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use agentv_core::{
    Block, Content, Digest, EvalCase, EvalFile, EvaluatorSpec, Message, WorkspaceSource,
};
use serde_json::Value;

use crate::trial::grade::Graders;

/// The most files that are noted. Where every case has files of its own, no shards share one.
const MOST: usize = 10_000;

/// The files that the cases of a run embed and their evaluators read.
#[derive(Debug, Default)]
pub(crate) struct ReadFiles {
    /// The root of the first eval file, which names are relative to.
    root: Option<PathBuf>,
    digests: BTreeMap<String, String>,
    /// The evaluators of the last case, and the index of its file: most cases of a file share theirs.
    last: Option<(usize, Arc<[EvaluatorSpec]>)>,
}

impl ReadFiles {
    /// Adds the files of a case.
    pub(crate) fn add(&mut self, graders: &dyn Graders, file: &EvalFile, case: &EvalCase) {
        self.root.get_or_insert_with(|| file.root.to_path_buf());
        let messages = case.input_messages.iter().chain(&case.expected_messages);
        for block in messages.flat_map(blocks_of) {
            self.add_block(file, block);
        }
        // A commit is named by the case itself, and cannot change.
        let workspace = case.workspace.as_ref();
        if let Some(WorkspaceSource::Folder { path, digest }) =
            workspace.and_then(|workspace| workspace.from.as_ref())
        {
            let name = self.name(&file.root.join(path));
            self.insert(name, || digest.clone());
        }
        let is_known = self.last.as_ref().is_some_and(|(index, evaluators)| {
            *index == file.index && Arc::ptr_eq(evaluators, &case.evaluators)
        });
        if is_known {
            return;
        }
        for read in graders.files(file, case) {
            // A program of the system may differ from machine to machine.
            if read.path.starts_with(&file.root) {
                let name = self.name(&read.path);
                self.insert(name, || read.digest);
            }
        }
        self.last = Some((file.index, Arc::clone(&case.evaluators)));
    }

    /// Returns the digests of the files, by their names.
    pub(crate) fn into_digests(self) -> BTreeMap<String, String> {
        self.digests
    }

    /// Adds the file of a block, if it has one.
    fn add_block(&mut self, file: &EvalFile, block: &Block) {
        let (path, text, fields) = match block {
            Block::File(block) => (block.path.as_deref(), block.text.as_deref(), &block.extra),
            Block::Other(fields) => (fields.get("path").and_then(Value::as_str), None, fields),
            Block::Text(_) => return,
        };
        let Some(path) = path else {
            return;
        };
        let name = self.name(&file.root.join(path));
        if let Some(text) = text {
            self.insert(name, || Digest::of(text.as_bytes()).to_string());
        } else if let Some(digest) = fields.get("digest").and_then(Value::as_str) {
            self.insert(name, || digest.to_owned());
        }
    }

    fn insert(&mut self, name: String, digest: impl FnOnce() -> String) {
        if self.digests.len() < MOST && !self.digests.contains_key(&name) {
            self.digests.insert(name, digest());
        }
    }

    /// Returns the path from the root of the first eval file, with `/`.
    fn name(&self, path: &Path) -> String {
        let root = self.root.as_deref().unwrap_or(Path::new(""));
        let inside = path.strip_prefix(root).unwrap_or(path);
        let parts = inside.components().map(|part| part.as_os_str());
        let parts: Vec<_> = parts.map(|part| part.to_string_lossy()).collect();
        parts.join("/").replace("//", "/")
    }
}

fn blocks_of(message: &Message) -> &[Block] {
    match &message.content {
        Some(Content::Blocks(blocks)) => blocks,
        Some(Content::Text(_) | Content::Structured(_)) | None => &[],
    }
}
