//! The thread that checks open documents.

use std::collections::{BTreeMap, HashSet};
use std::convert::Infallible;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use agentv_dataset::{
    Diagnostic, FileRole, FoundFile, LoadOptions, Outdated, UnsavedTexts, role_of_named_file,
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
    /// Is set by the next change.
    pub(crate) outdated: Outdated,
}

/// A thread that checks the newest state, and publishes the diagnostics. A change ends the check of the state
/// before it.
pub(crate) struct Checker {
    snapshots: Sender<Snapshot>,
    /// The mark of the newest state.
    newest: Mutex<Outdated>,
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
            newest: Mutex::default(),
            thread: std::thread::spawn(move || work.run(&received)),
        }
    }

    /// Ends the check of the newest state so far. What it did not reach is checked after the next change, so a
    /// call of [`Checker::check`] must follow.
    pub(crate) fn interrupt(&self) {
        let newest = self.newest.lock().unwrap_or_else(PoisonError::into_inner);
        newest.set();
    }

    pub(crate) fn check(&self, snapshot: Snapshot) {
        self.interrupt();
        let mut newest = self.newest.lock().unwrap_or_else(PoisonError::into_inner);
        *newest = snapshot.outdated.clone();
        drop(newest);
        // The thread ends only after this value.
        let _ = self.snapshots.send(snapshot);
    }

    /// Waits for the checks that were requested.
    pub(crate) fn finish(self) {
        drop(self.snapshots);
        let _ = self.thread.join();
    }
}

/// The documents that wait for a check, the next first.
#[derive(Debug, Default)]
struct Waiting {
    documents: Vec<PathBuf>,
}

impl Waiting {
    fn add_first(&mut self, changed: PathBuf) {
        self.documents.retain(|path| *path != changed);
        self.documents.insert(0, changed);
    }

    /// Adds the documents that may depend on the one that changed.
    fn add_dependent(&mut self, snapshot: &Snapshot) {
        let changed = snapshot.documents.iter();
        let mut changed = changed.filter(|open| open.path == snapshot.changed);
        let is_shared =
            snapshot.is_closed || changed.any(|open| open.role != Some(FileRole::EvalFile));
        for document in &snapshot.documents {
            let may_depend = is_shared || document.text.len() < LARGE_TEXT;
            if may_depend && !self.documents.contains(&document.path) {
                self.documents.push(document.path.clone());
            }
        }
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
        let mut waiting = Waiting::default();
        while let Ok(first) = received.recv() {
            let mut snapshot = first;
            self.note(&snapshot, &mut waiting);
            // Only the newest state matters.
            while let Ok(newer) = received.try_recv() {
                snapshot = newer;
                self.note(&snapshot, &mut waiting);
            }
            self.check(&snapshot, &mut waiting);
        }
    }

    fn note(&self, snapshot: &Snapshot, waiting: &mut Waiting) {
        waiting.add_first(snapshot.changed.clone());
        if snapshot.is_closed {
            let files = self.published.forget(&snapshot.changed);
            self.publish(&files, &snapshot.documents);
        } else {
            self.published.drop_outdated(&snapshot.changed);
        }
        waiting.add_dependent(snapshot);
    }

    /// Checks the documents that wait, until the state is out of date.
    fn check(&self, snapshot: &Snapshot, waiting: &mut Waiting) {
        let texts = snapshot.documents.iter();
        let texts = texts.map(|document| (document.path.clone(), Arc::clone(&document.text)));
        let options = LoadOptions {
            unsaved: UnsavedTexts::new(texts).until(snapshot.outdated.clone()),
            ..self.options.clone()
        };
        while let Some(path) = waiting.documents.first() {
            let open = snapshot.documents.iter().find(|open| open.path == *path);
            if let Some(document) = open {
                self.check_visible(document, &options, snapshot);
                self.check_document(document, &options, snapshot);
            }
            if snapshot.outdated.is_set() {
                return;
            }
            waiting.documents.remove(0);
        }
    }

    fn check_document(&self, document: &OpenDocument, options: &LoadOptions, snapshot: &Snapshot) {
        let Some(problems) = self.problems(document, options) else {
            return;
        };
        // The check may have ended early.
        if snapshot.outdated.is_set() {
            return;
        }
        let files = self.published.replace(&document.path, problems);
        self.publish(&files, &snapshot.documents);
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
    fn check_visible(&self, document: &OpenDocument, options: &LoadOptions, snapshot: &Snapshot) {
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
        let others = snapshot.documents.iter();
        let others = others.filter(|other| other.path != document.path);
        let texts = others.chain([&visible]);
        let options = LoadOptions {
            unsaved: UnsavedTexts::new(
                texts.map(|open| (open.path.clone(), Arc::clone(&open.text))),
            )
            .until(snapshot.outdated.clone()),
            ..options.clone()
        };
        let Some(mut problems) = self.problems(&visible, &options) else {
            return;
        };
        if snapshot.outdated.is_set() {
            return;
        }
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
        self.publish(&files, &snapshot.documents);
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

#[cfg(test)]
mod tests {
    use super::*;

    fn work(editor: Sender<Message>) -> Work {
        let project = Project::here();
        Work {
            options: project.load_options(),
            project,
            published: Arc::default(),
            encoding: Encoding::Utf16,
            editor: Box::new(move |message| editor.send(message).unwrap()),
        }
    }

    fn snapshot(path: &Path, version: i32, text: &str) -> Snapshot {
        let document = OpenDocument {
            uri: uri_of(path),
            path: path.to_owned(),
            version,
            text: Arc::new(text.to_owned()),
            role: Some(FileRole::EvalFile),
            edited_at: 0,
        };
        Snapshot {
            documents: vec![document],
            changed: path.to_owned(),
            is_closed: false,
            outdated: Outdated::default(),
        }
    }

    /// Returns the published versions, each with the number of its diagnostics.
    fn published(messages: &Receiver<Message>) -> Vec<(i64, usize)> {
        let messages = messages.try_iter().map(|message| {
            let Message::Notification(notification) = message else {
                panic!("{message:?}");
            };
            let version = notification.params["version"].as_i64().unwrap();
            let diagnostics = notification.params["diagnostics"].as_array().unwrap();
            (version, diagnostics.len())
        });
        messages.collect()
    }

    #[test]
    fn a_check_that_the_next_change_ends_publishes_nothing_and_is_made_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().canonicalize().unwrap().join("cases.jsonl");
        let other = path.with_file_name("other.jsonl");
        // The visible part ends with the long line.
        let filler = "x".repeat(LARGE_TEXT);
        let lines = [
            r#"{"id": "a", "input": "no outcome"}"#.to_owned(),
            format!(r#"{{"id": "long", "expected_outcome": "x", "input": "{filler}"}}"#),
            r#"{"id": "b", "input": "no outcome"}"#.to_owned(),
        ];
        let text = lines.join("\n");
        let (sender, messages) = channel();
        let work = work(sender);
        let mut waiting = Waiting::default();

        let first = snapshot(&path, 1, &text);
        work.note(&first, &mut waiting);
        first.outdated.set();
        work.check(&first, &mut waiting);
        assert_eq!(published(&messages), []);
        assert_eq!(waiting.documents, std::slice::from_ref(&path));

        // The next change is of another document. What was ended is checked after it.
        let mut second = snapshot(&other, 2, "{\"id\": \"c\"}\n");
        second.documents.extend(snapshot(&path, 1, &text).documents);
        work.note(&second, &mut waiting);
        assert_eq!(waiting.documents, [other, path]);
        work.check(&second, &mut waiting);
        assert_eq!(published(&messages), [(2, 2), (1, 1), (1, 2)]);
        assert!(waiting.documents.is_empty());
    }
}
