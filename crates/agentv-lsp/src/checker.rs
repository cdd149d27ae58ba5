//! The thread that checks open documents.

use std::collections::{BTreeMap, HashSet};
use std::convert::Infallible;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;

use agentv_dataset::{
    Diagnostic, FileRole, FoundFile, LoadOptions, UnsavedTexts, role_of_named_file,
};
use agentv_project::{Project, validate, with_targets_files};
use gen_lsp_types::{PublishDiagnosticsParams, Uri};
use lsp_server::{Message, Notification};

use crate::address::uri_of;
use crate::documents::OpenDocument;
use crate::positions::Encoding;
use crate::published::{Published, for_editor};

/// The size from which the part of a JSON Lines file that the user sees is checked before the rest.
const LARGE_TEXT: usize = 1 << 20;
/// The number of bytes around the last edit that are checked first: some hundred lines.
const VISIBLE: usize = 128 << 10;

/// The state of the editor at one moment.
#[derive(Debug)]
pub(crate) struct Snapshot {
    pub(crate) documents: Vec<OpenDocument>,
    /// The document that changed.
    pub(crate) changed: PathBuf,
    /// True if the document was closed.
    pub(crate) is_closed: bool,
}

/// A thread that checks the newest state, and publishes the diagnostics.
pub(crate) struct Checker {
    snapshots: Sender<Snapshot>,
    thread: JoinHandle<()>,
}

impl Checker {
    pub(crate) fn start(
        project: Project,
        published: Arc<Published>,
        encoding: Encoding,
        editor: impl Fn(Message) + Send + Sync + 'static,
    ) -> Checker {
        let (snapshots, received) = channel();
        let work = Work {
            options: project.load_options(),
            project,
            published,
            encoding,
            editor: Box::new(editor),
        };
        Checker {
            snapshots,
            thread: std::thread::spawn(move || work.run(&received)),
        }
    }

    pub(crate) fn check(&self, snapshot: Snapshot) {
        // The thread ends only after this value.
        let _ = self.snapshots.send(snapshot);
    }

    /// Waits for the checks that were requested.
    pub(crate) fn finish(self) {
        drop(self.snapshots);
        let _ = self.thread.join();
    }
}

struct Work {
    project: Project,
    options: LoadOptions,
    published: Arc<Published>,
    encoding: Encoding,
    editor: Box<dyn Fn(Message) + Send + Sync>,
}

impl Work {
    fn run(&self, received: &Receiver<Snapshot>) {
        let mut next = received.recv().ok();
        while let Some(first) = next.take() {
            let mut changed: Vec<PathBuf> = Vec::new();
            let mut snapshot = first;
            self.note(&snapshot, &mut changed);
            // Only the newest state matters.
            while let Ok(newer) = received.try_recv() {
                snapshot = newer;
                self.note(&snapshot, &mut changed);
            }
            self.check(&snapshot, &changed);
            next = received.recv().ok();
        }
    }

    fn note(&self, snapshot: &Snapshot, changed: &mut Vec<PathBuf>) {
        changed.retain(|path| *path != snapshot.changed);
        changed.push(snapshot.changed.clone());
        if snapshot.is_closed {
            let files = self.published.forget(&snapshot.changed);
            self.publish(&files, &snapshot.documents);
        }
    }

    /// Checks what changed, the last change first, and then what may depend on it.
    fn check(&self, snapshot: &Snapshot, changed: &[PathBuf]) {
        let texts = snapshot.documents.iter();
        let texts = texts.map(|document| (document.path.clone(), Arc::clone(&document.text)));
        let options = LoadOptions {
            unsaved: UnsavedTexts::new(texts),
            ..self.options.clone()
        };
        let of_path = |path: &PathBuf| snapshot.documents.iter().find(|open| open.path == *path);
        let changed: Vec<&OpenDocument> = changed.iter().rev().filter_map(of_path).collect();
        for document in &changed {
            self.published.drop_outdated(&document.path);
            self.check_visible(document, &options, &snapshot.documents);
            self.check_document(document, &options, &snapshot.documents);
        }
        let is_shared = changed
            .iter()
            .any(|document| document.role != Some(FileRole::EvalFile));
        for document in &snapshot.documents {
            let is_changed = changed.iter().any(|changed| changed.path == document.path);
            let may_depend = is_shared || document.text.len() < LARGE_TEXT;
            if !is_changed && may_depend {
                self.check_document(document, &options, &snapshot.documents);
            }
        }
    }

    fn check_document(
        &self,
        document: &OpenDocument,
        options: &LoadOptions,
        documents: &[OpenDocument],
    ) {
        let Some(problems) = self.problems(document, options) else {
            return;
        };
        let files = self.published.replace(&document.path, problems);
        self.publish(&files, documents);
    }

    /// Returns the problems that `agentv validate` reports for a document, by file; `None` if the document is not
    /// ours.
    fn problems(
        &self,
        document: &OpenDocument,
        options: &LoadOptions,
    ) -> Option<BTreeMap<PathBuf, Vec<Diagnostic>>> {
        document.role?;
        let shown = self.project.shown(&document.path);
        let role = role_of_named_file(&shown, &options.unsaved);
        let files = vec![FoundFile { path: shown, role }];
        let files = with_targets_files(files, &self.project);
        let mut known = HashSet::new();
        let mut problems: BTreeMap<PathBuf, Vec<Diagnostic>> = BTreeMap::new();
        let Ok(_) = validate::<Infallible>(&files, options, &mut |problem, _| {
            if known.insert(problem.to_json().to_string()) {
                let file = self.absolute(Path::new(&*problem.file));
                problems.entry(file).or_default().push(problem.clone());
            }
            Ok(())
        });
        Some(problems)
    }

    fn absolute(&self, file: &Path) -> PathBuf {
        let path = self.options.working_dir.join(file);
        path.components().collect()
    }

    /// Checks the lines around the last edit of a large JSON Lines file, and publishes their problems with those
    /// that are known of the other lines.
    fn check_visible(
        &self,
        document: &OpenDocument,
        options: &LoadOptions,
        documents: &[OpenDocument],
    ) {
        if !document.is_lines() || document.text.len() < LARGE_TEXT || document.role.is_none() {
            return;
        }
        let text = &document.text;
        let part = visible_part(text, document.edited_at);
        let lines_before =
            memchr::memchr_iter(b'\n', &text.as_bytes()[..part.start]).count() as u64;
        let lines = memchr::memchr_iter(b'\n', &text.as_bytes()[part.clone()]).count() as u64 + 1;
        let visible = OpenDocument {
            text: Arc::new(text[part].to_owned()),
            ..document.clone()
        };
        let others = documents.iter().filter(|other| other.path != document.path);
        let texts = others.chain([&visible]);
        let options = LoadOptions {
            unsaved: UnsavedTexts::new(
                texts.map(|open| (open.path.clone(), Arc::clone(&open.text))),
            ),
            ..options.clone()
        };
        let Some(mut problems) = self.problems(&visible, &options) else {
            return;
        };
        let own = problems.entry(document.path.clone()).or_default();
        own.retain(|problem| problem.line.is_some());
        for problem in own.iter_mut() {
            problem.line = problem.line.map(|line| line + lines_before);
        }
        let is_outside = |problem: &Diagnostic| {
            let line = problem.line.unwrap_or_default();
            line <= lines_before || line > lines_before + lines
        };
        own.extend(
            self.published
                .of(&document.path)
                .into_iter()
                .filter(is_outside),
        );
        let files = self.published.replace(&document.path, problems);
        self.publish(&files, documents);
    }

    fn publish(&self, files: &HashSet<PathBuf>, documents: &[OpenDocument]) {
        for file in files {
            let document = documents.iter().find(|document| document.path == *file);
            let text = document.map(|document| document.text.as_str());
            let problems = self.published.of(file);
            let params = PublishDiagnosticsParams {
                uri: document.map_or_else(|| uri_of(file), |document| Uri::clone(&document.uri)),
                version: document.map(|document| document.version),
                diagnostics: for_editor(&problems, text, self.encoding),
            };
            let method = "textDocument/publishDiagnostics".to_owned();
            (self.editor)(Notification::new(method, params).into());
        }
    }
}

/// Returns the whole lines around an offset.
fn visible_part(text: &str, offset: usize) -> std::ops::Range<usize> {
    let bytes = text.as_bytes();
    let from = offset.min(text.len()).saturating_sub(VISIBLE / 2);
    let to = (from + VISIBLE).min(text.len());
    let start = match from {
        0 => 0,
        from => memchr::memrchr(b'\n', &bytes[..from]).map_or(0, |at| at + 1),
    };
    let end = memchr::memchr(b'\n', &bytes[to..]).map_or(text.len(), |at| to + at);
    start..end
}
