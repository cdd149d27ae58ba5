//! The files that cases embed and evaluators read, by their digests.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use agentv_core::{
    Block, Content, Digest, EvalCase, EvalFile, EvaluatorSpec, Message, WorkspaceSource,
};
use blake3::Hasher;
use serde_json::Value;

use crate::trial::grade::Graders;

/// The most files that are listed. Others are only part of the digest.
const MOST: usize = 10_000;

/// The files that the cases of a run embed and their evaluators read.
#[derive(Debug, Default)]
pub(crate) struct ReadFiles {
    /// The root of the first eval file, which names are relative to.
    root: Option<PathBuf>,
    digests: BTreeMap<String, String>,
    /// Numbers for the names of all files.
    known: HashSet<u64>,
    /// A digest of all files, listed or not, in the order in which cases name them.
    all: Hasher,
    /// The evaluators of the last case, and the index of its file: most cases of a file share theirs.
    last: Option<(usize, Arc<[EvaluatorSpec]>)>,
}

/// The files of a run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FilesRead {
    /// The digests of the files, by their paths from the root of the first eval file. Of very many files,
    /// some are omitted.
    pub listed: BTreeMap<String, String>,
    /// A digest of all files, if some are omitted.
    pub digest: Option<String>,
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

    /// Returns the files. `is_whole` is set if all cases of all shards were added.
    pub(crate) fn finish(self, is_whole: bool) -> FilesRead {
        let has_more = self.known.len() > MOST;
        FilesRead {
            listed: self.digests,
            digest: (has_more && is_whole).then(|| self.all.finalize().to_hex().to_string()),
        }
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
        let number = Digest::of(name.as_bytes()).short();
        if !self.known.insert(number) {
            return;
        }
        let digest = digest();
        self.all.update(name.as_bytes());
        self.all.update(digest.as_bytes());
        if self.digests.len() < MOST {
            self.digests.insert(name, digest);
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

#[cfg(test)]
mod tests {
    use agentv_core::{Evaluator, EvaluatorError};

    use super::*;

    /// Evaluators that read no files.
    struct NoFiles;

    impl Graders for NoFiles {
        fn build(
            &self,
            _: &EvalFile,
            spec: &EvaluatorSpec,
        ) -> Result<Arc<dyn Evaluator>, EvaluatorError> {
            Err(EvaluatorError::new(format!("there is no `{}`", spec.kind)))
        }
    }

    /// Returns the files of this many cases, each with a file of its own; `last` is the text of the last one.
    fn files(cases: usize, last: &str, is_whole: bool) -> FilesRead {
        let file = EvalFile {
            index: 0,
            name: "cases.jsonl".into(),
            folder: Path::new("/project").into(),
            root: Path::new("/project").into(),
        };
        let mut files = ReadFiles::default();
        for number in 1..=cases {
            let text = if number == cases { last } else { "a text" };
            let path = format!("{number}.txt");
            let block =
                serde_json::json!({"type": "file", "value": path, "path": path, "text": text});
            let messages = serde_json::json!([{"role": "user", "content": [block]}]);
            let mut case = crate::testing::case("a", "What is 2+2?");
            case.input_messages = serde_json::from_value(messages).unwrap();
            files.add(&NoFiles, &file, &case);
        }
        files.finish(is_whole)
    }

    #[test]
    fn of_very_many_files_a_digest_notices_the_change_of_any() {
        let few = files(3, "a text", true);
        assert_eq!((few.listed.len(), &few.digest), (3, &None));
        let many = files(MOST + 2, "a text", true);
        assert_eq!(many.listed.len(), MOST);
        assert!(many.digest.is_some());
        assert_eq!(files(MOST + 2, "a text", true), many);
        let changed = files(MOST + 2, "another text", true);
        assert_eq!(changed.listed, many.listed);
        assert_ne!(changed.digest, many.digest);
        // Shards that stopped at different cases cannot be compared.
        assert_eq!(files(MOST + 2, "a text", false).digest, None);
    }
}
