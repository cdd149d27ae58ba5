//! Files that cases refer to: looked up, kept inside the project, read once.

use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use agentv_core::{Digest, private_file};
use agentv_syntax::{Code, Node, Problem};
use agentv_workspace::{FoundCommit, WorkspaceError};
use thiserror::Error;

use crate::project::Project;
use crate::text_remarks::{TextCheck, TextRemarks};
use crate::unsaved::UnsavedTexts;

/// Largest file that a case may refer to.
const LARGEST_FILE: u64 = 64 << 20;
/// Bytes of texts that are kept in memory.
const KEPT_TEXTS: usize = 32 << 20;
/// Number of look-ups that are kept in memory.
const KEPT_LOOKUPS: usize = 50_000;
/// The longest reference whose look-up is kept, in bytes.
const KEPT_LENGTH: usize = 255;
/// The longest path that any system takes, in bytes.
const LONGEST_PATH: usize = 4_096;

/// A file that a case refers to.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Located {
    /// Without links, for reading.
    pub(crate) absolute: PathBuf,
    /// Relative to the project root if it is inside.
    pub(crate) path: String,
}

/// The reason why a reference cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{message}")]
pub(crate) struct FileProblem {
    pub(crate) code: Code,
    pub(crate) message: String,
    pub(crate) hint: Option<String>,
}

impl FileProblem {
    /// Returns the problem, placed at the value that holds the reference.
    pub(crate) fn at(self, node: Node<'_>, path: impl Into<String>) -> Problem {
        Problem {
            hint: self.hint,
            expected: Some("a file inside the project".to_owned()),
            found: Some(format!("`{}`", node.text())),
            ..Problem::error(self.code, node.span(), self.message)
        }
        .at(path)
    }
}

impl FileProblem {
    /// Returns the problem, placed at the value that names a commit.
    pub(crate) fn at_commit(self, node: Node<'_>, path: impl Into<String>) -> Problem {
        Problem {
            expected: Some("a commit of the repository".to_owned()),
            ..self.at(node, path)
        }
    }

    /// Returns the problem, placed at the value that names a folder.
    pub(crate) fn at_folder(self, node: Node<'_>, path: impl Into<String>) -> Problem {
        Problem {
            expected: Some("a folder inside the project".to_owned()),
            ..self.at(node, path)
        }
    }
}

type Lookup = Result<Arc<Located>, FileProblem>;

/// The files that the cases of one eval file refer to.
#[derive(Debug)]
pub(crate) struct FileLibrary {
    project: Project,
    working_dir: PathBuf,
    allow_outside_root: bool,
    unsaved: UnsavedTexts,
    lookups: RwLock<HashMap<String, Lookup>>,
    texts: Mutex<Texts>,
    /// The digests of images, audio and documents.
    digests: Mutex<HashMap<PathBuf, Digest>>,
    /// The contents of folders and commits that workspaces start with.
    templates: Mutex<Templates>,
    remarks: TextRemarks,
}

#[derive(Debug, Default)]
struct Templates {
    folders: HashMap<PathBuf, String>,
    commits: HashMap<(PathBuf, String), FoundCommit>,
}

#[derive(Debug, Default)]
struct Texts {
    by_file: HashMap<PathBuf, Arc<str>>,
    bytes: usize,
}

impl FileLibrary {
    pub(crate) fn new(project: Project, working_dir: PathBuf, allow_outside_root: bool) -> Self {
        FileLibrary {
            project,
            working_dir,
            allow_outside_root,
            unsaved: UnsavedTexts::default(),
            lookups: RwLock::default(),
            texts: Mutex::default(),
            digests: Mutex::default(),
            templates: Mutex::default(),
            remarks: TextRemarks::default(),
        }
    }

    /// Reads these texts in place of the files on disk.
    pub(crate) fn with_unsaved(self, unsaved: &UnsavedTexts) -> Self {
        FileLibrary {
            unsaved: unsaved.clone(),
            ..self
        }
    }

    /// Returns the texts that are read in place of the files on disk.
    pub(crate) fn unsaved(&self) -> &UnsavedTexts {
        &self.unsaved
    }

    /// Returns the file that `value` refers to, if it can be read and is UTF-8.
    pub(crate) fn find(&self, value: &str) -> Lookup {
        let known = self
            .lookups
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .get(value)
            .cloned();
        if let Some(known) = known {
            return known;
        }
        let lookup = self.look_up(value).and_then(|located| {
            self.text(&located)?;
            Ok(Arc::new(located))
        });
        if value.len() > KEPT_LENGTH {
            return lookup;
        }
        let mut lookups = self.lookups.write().unwrap_or_else(PoisonError::into_inner);
        if lookups.len() >= KEPT_LOOKUPS {
            lookups.clear();
        }
        lookups.insert(value.to_owned(), lookup.clone());
        lookup
    }

    /// Returns the file that `value` refers to and the digest of its bytes, whatever they are.
    pub(crate) fn find_bytes(&self, value: &str) -> Result<(String, Digest), FileProblem> {
        let located = self.look_up(value)?;
        let mut digests = self.digests.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(digest) = digests.get(&located.absolute) {
            return Ok((located.path, *digest));
        }
        let bytes = fs::read(&located.absolute).map_err(|error| FileProblem {
            code: Code::FileUnusable,
            message: format!("`{}`: {error}", located.path),
            hint: None,
        })?;
        let digest = Digest::of(&bytes);
        if digests.len() >= KEPT_LOOKUPS {
            digests.clear();
        }
        digests.insert(located.absolute, digest);
        Ok((located.path, digest))
    }

    /// Returns the problem that `check` finds in the text of the file that `value` refers to.
    pub(crate) fn remark(&self, value: &str, check: TextCheck) -> Option<Problem> {
        let located = self.find(value).ok()?;
        let text = self.text(&located).ok()?;
        self.remarks.of(value, &text, check)
    }

    /// Returns the places where `value` may be, in order of precedence.
    fn candidates(&self, value: &str) -> Vec<PathBuf> {
        if let Some(from_root) = value.strip_prefix('/') {
            // A file outside the root is found as well, so that the error can say where it is.
            return vec![self.project.root.join(from_root), PathBuf::from(value)];
        }
        let mut folders: Vec<&Path> = self.project.folders().collect();
        if !folders.contains(&self.working_dir.as_path()) {
            folders.push(&self.working_dir);
        }
        folders
            .into_iter()
            .map(|folder| folder.join(value))
            .collect()
    }

    fn look_up(&self, value: &str) -> Result<Located, FileProblem> {
        let problem = |code, message: String| FileProblem {
            code,
            message,
            hint: None,
        };
        if value.is_empty() || value.contains('\0') || value.len() > LONGEST_PATH {
            return Err(problem(
                Code::FileNotFound,
                "expected the path of a file".to_owned(),
            ));
        }
        let found = self
            .candidates(value)
            .into_iter()
            .find_map(|candidate| fs::canonicalize(candidate).ok());
        let Some(absolute) = found else {
            return Err(FileProblem {
                code: Code::FileNotFound,
                message: format!("file not found: `{value}`"),
                hint: Some(self.where_it_was_sought(value)),
            });
        };
        if absolute.is_dir() {
            let message = format!("`{value}` is a directory");
            return Err(problem(Code::NotAFile, message));
        }
        self.keep_inside(value, &absolute)?;
        self.keep_private(value, &absolute)?;
        let metadata = fs::metadata(&absolute)
            .map_err(|error| problem(Code::FileUnusable, format!("`{value}`: {error}")))?;
        if !metadata.is_file() {
            let message = format!("`{value}` is not a regular file");
            return Err(problem(Code::NotAFile, message));
        }
        if metadata.len() > LARGEST_FILE {
            return Err(problem(
                Code::FileUnusable,
                format!("`{value}` is larger than 64 MiB"),
            ));
        }
        Ok(Located {
            path: self.project.display(&absolute),
            absolute,
        })
    }

    fn keep_inside(&self, value: &str, absolute: &Path) -> Result<(), FileProblem> {
        if absolute.starts_with(&self.project.root) || self.allow_outside_root {
            return Ok(());
        }
        Err(FileProblem {
            code: Code::FileOutsideRoot,
            message: format!("`{value}` is outside the project root"),
            hint: Some(format!(
                "the root is {}; use --allow-outside-root for files that you trust",
                self.project.root.display()
            )),
        })
    }

    /// Refuses files that no case may read.
    fn keep_private(&self, value: &str, absolute: &Path) -> Result<(), FileProblem> {
        let from_root = absolute.strip_prefix(&self.project.root);
        let Some(reason) = private_file(from_root.unwrap_or(absolute)) else {
            return Ok(());
        };
        Err(FileProblem {
            code: Code::PrivateFile,
            message: format!("`{value}` {reason}: cases cannot read it"),
            hint: Some("copy the part that the case needs to another file".to_owned()),
        })
    }

    /// Returns the folder that `value` refers to, relative to the project root if it is inside.
    pub(crate) fn find_folder(&self, value: &str) -> Result<String, FileProblem> {
        let written = match value.strip_prefix('/') {
            Some(from_root) => vec![self.project.root.join(from_root), PathBuf::from(value)],
            None => vec![self.project.folder.join(value)],
        };
        let found = written
            .into_iter()
            .find_map(|folder| fs::canonicalize(folder).ok());
        let Some(folder) = found else {
            return Err(FileProblem {
                code: Code::FileNotFound,
                message: format!("folder not found: `{value}`"),
                hint: Some("it is looked up from the eval file's folder".to_owned()),
            });
        };
        self.keep_inside(value, &folder)?;
        if !folder.is_dir() {
            return Err(FileProblem {
                code: Code::NotAFile,
                message: format!("`{value}` is not a folder"),
                hint: None,
            });
        }
        Ok(self.project.display(&folder))
    }

    /// Returns the folder that a workspace is copied from, or the repository that it is exported from,
    /// without links. It is looked up like a file.
    pub(crate) fn find_template(&self, value: &str) -> Result<PathBuf, FileProblem> {
        let candidates = self.candidates(value).into_iter();
        let mut found = candidates.filter_map(|folder| fs::canonicalize(folder).ok());
        let Some(folder) = found.next() else {
            return Err(FileProblem {
                code: Code::FileNotFound,
                message: format!("folder not found: `{value}`"),
                hint: Some(self.where_it_was_sought(value)),
            });
        };
        self.keep_inside(value, &folder)?;
        if !folder.is_dir() {
            return Err(FileProblem {
                code: Code::NotAFile,
                message: format!("`{value}` is not a folder"),
                hint: None,
            });
        }
        Ok(folder)
    }

    /// Refuses a folder that holds the project itself: its results would be part of every workspace.
    pub(crate) fn check_template(&self, folder: &Path) -> Result<(), FileProblem> {
        if !self.project.root.starts_with(folder) {
            return Ok(());
        }
        let message = format!("`{}` holds the project with its results", folder.display());
        Err(FileProblem {
            code: Code::FileUnusable,
            message,
            hint: Some(
                "name a folder inside the project, or export a commit: `{git: ., commit: HEAD}`"
                    .to_owned(),
            ),
        })
    }

    /// Returns the digest of everything in a folder that a workspace starts with.
    pub(crate) fn digest_of_folder(&self, folder: &Path) -> Result<String, FileProblem> {
        self.check_template(folder)?;
        let mut templates = self
            .templates
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(digest) = templates.folders.get(folder) {
            return Ok(digest.clone());
        }
        let digest = agentv_workspace::digest_of_folder(folder).map_err(unusable)?;
        templates.folders.insert(folder.to_owned(), digest.clone());
        Ok(digest)
    }

    /// Returns a commit of a repository.
    pub(crate) fn find_commit(
        &self,
        repository: &Path,
        commit: &str,
    ) -> Result<FoundCommit, FileProblem> {
        let mut templates = self
            .templates
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let key = (repository.to_owned(), commit.to_owned());
        if let Some(found) = templates.commits.get(&key) {
            return Ok(found.clone());
        }
        let found = agentv_workspace::find_commit(repository, commit).map_err(unusable)?;
        templates.commits.insert(key, found.clone());
        Ok(found)
    }

    fn where_it_was_sought(&self, value: &str) -> String {
        if value.starts_with('/') {
            let root = self.project.root.display();
            return format!("a leading `/` means the project root, {root}");
        }
        let shown: Vec<_> = self
            .candidates(value)
            .iter()
            .filter_map(|candidate| candidate.parent())
            // Rebuilt from its components, a path has no `/./` in it.
            .map(|folder| folder.components().collect::<PathBuf>())
            .map(|folder| match self.project.display(&folder).as_str() {
                "" => "the project root".to_owned(),
                shown => shown.to_owned(),
            })
            .collect();
        format!("looked in {}", shown.join(", "))
    }

    /// Returns the content of a file, with line ends turned into `\n`.
    pub(crate) fn text(&self, located: &Located) -> Result<Arc<str>, FileProblem> {
        let mut texts = self.texts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(text) = texts.by_file.get(&located.absolute) {
            return Ok(Arc::clone(text));
        }
        let text: Arc<str> = read_text(&located.absolute, &self.unsaved)
            .map_err(|error| FileProblem {
                code: Code::FileUnusable,
                message: format!("`{}`: {error}", located.path),
                hint: None,
            })?
            .into();
        if texts.bytes + text.len() > KEPT_TEXTS {
            *texts = Texts::default();
        }
        texts.bytes += text.len();
        texts
            .by_file
            .insert(located.absolute.clone(), Arc::clone(&text));
        Ok(text)
    }

    pub(crate) fn project(&self) -> &Project {
        &self.project
    }
}

/// Returns the problem of a folder or a commit that cannot be read.
fn unusable(error: WorkspaceError) -> FileProblem {
    let reason = std::error::Error::source(&error).map(|reason| format!(": {reason}"));
    FileProblem {
        code: Code::FileUnusable,
        message: format!("{error}{}", reason.unwrap_or_default()),
        hint: None,
    }
}

/// Reads a text file: byte-order mark dropped, CRLF turned into LF.
fn read_text(path: &Path, unsaved: &UnsavedTexts) -> io::Result<String> {
    let text = match unsaved.of(path) {
        Some(text) => String::clone(text),
        None => String::from_utf8(fs::read(path)?)
            .map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "not UTF-8 text"))?,
    };
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    Ok(text.replace("\r\n", "\n"))
}
