//! Files that a resolved case names.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use agentv_core::private_file;
use serde_json::Value;
use thiserror::Error;

use crate::builder::BuildContext;

/// The reason why a file named by a resolved case cannot be used.
#[derive(Debug, Error)]
pub(crate) enum FileError {
    #[error("file not found: `{0}` (looked up from the project root)")]
    NotFound(String),
    #[error("`{0}` is outside the project root")]
    OutsideRoot(String),
    #[error("`{path}` {reason}: cases cannot read it")]
    Private { path: String, reason: &'static str },
    #[error("`{0}` is not a regular file")]
    NotAFile(String),
    #[error("`{0}` is larger than 16 MiB")]
    TooLarge(String),
    #[error("`{path}`: {source}")]
    Unreadable { path: String, source: io::Error },
}

/// The size of the largest file that an evaluator reads.
const LARGEST_FILE: u64 = 16 << 20;

/// The longest text that can be a path.
pub(crate) const LONGEST_PATH: usize = 4_096;

/// Returns the file that a value names. Resolved cases name the files of a project by a path from
/// its root that starts with `/`.
pub(crate) fn named(value: &Value, root: &Path) -> Option<PathBuf> {
    let text = value.as_str()?;
    let may_be_path = text.len() <= LONGEST_PATH && !text.contains('\n');
    let path = text.strip_prefix('/').filter(|_| may_be_path)?;
    Some(root.join(path))
}

/// Adds the files that a value, or anything in it, names.
pub(crate) fn collect(value: &Value, root: &Path, files: &mut Vec<PathBuf>) {
    match value {
        Value::String(_) => files.extend(named(value, root)),
        Value::Array(items) => items.iter().for_each(|item| collect(item, root, files)),
        Value::Object(fields) => {
            let values = fields.values();
            values.for_each(|value| collect(value, root, files));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Reads a file named by a resolved case: by its path from the root, or by a path outside the root.
/// If the file is missing, returns its kept text.
pub(crate) fn read_text(path: &str, context: &BuildContext) -> Result<String, FileError> {
    let text = match find(path, context) {
        Ok(file) => read(path, &file)?,
        Err(reason) => match context.kept_texts.get(path) {
            Some(kept) if !from_root(path, context).exists() => kept.clone(),
            _ => return Err(reason),
        },
    };
    context.read_texts.add(&context.root, path, &text);
    Ok(text)
}

fn read(path: &str, file: &Path) -> Result<String, FileError> {
    let unreadable = |source| FileError::Unreadable {
        path: path.to_owned(),
        source,
    };
    let size = fs::metadata(file).map_err(unreadable)?.len();
    if size > LARGEST_FILE {
        return Err(FileError::TooLarge(path.to_owned()));
    }
    let text = fs::read_to_string(file).map_err(unreadable)?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    Ok(text.replace("\r\n", "\n"))
}

fn from_root(path: &str, context: &BuildContext) -> PathBuf {
    context.root.join(path.trim_start_matches('/'))
}

/// Finds a file named by a resolved case and checks that it may be used.
pub(crate) fn find(path: &str, context: &BuildContext) -> Result<PathBuf, FileError> {
    let from_root = from_root(path, context);
    let candidates = [from_root.as_path(), Path::new(path)];
    let mut found = candidates
        .iter()
        .filter_map(|path| path.canonicalize().ok());
    let Some(file) = found.next() else {
        return Err(FileError::NotFound(path.to_owned()));
    };
    let root = context.root.canonicalize().ok();
    let inside = root.and_then(|root| file.strip_prefix(root).ok());
    if inside.is_none() && !context.allow_outside_root {
        return Err(FileError::OutsideRoot(path.to_owned()));
    }
    if let Some(reason) = private_file(inside.unwrap_or(&file)) {
        return Err(FileError::Private {
            path: path.to_owned(),
            reason,
        });
    }
    if !file.is_file() {
        return Err(FileError::NotAFile(path.to_owned()));
    }
    Ok(file)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::Arc;

    use super::*;

    fn context(root: &Path) -> BuildContext {
        let kept = [("/p.md", "kept"), ("/folder", "kept"), ("/gone.md", "kept")];
        let kept = kept.map(|(path, text)| (path.to_owned(), text.to_owned()));
        let mut context = BuildContext::new(root);
        context.kept_texts = Arc::new(BTreeMap::from(kept));
        context
    }

    #[test]
    fn what_was_kept_is_read_only_where_the_file_is_not_there() {
        let root = tempfile::tempdir().unwrap();
        fs::write(root.path().join("p.md"), "today").unwrap();
        fs::create_dir(root.path().join("folder")).unwrap();
        let context = context(root.path());
        let read = |path| read_text(path, &context).map_err(|error| error.to_string());
        assert_eq!(read("/p.md"), Ok("today".to_owned()));
        assert_eq!(read("/gone.md"), Ok("kept".to_owned()));
        assert_eq!(
            read("/folder"),
            Err("`/folder` is not a regular file".to_owned())
        );
        assert!(read("/other.md").unwrap_err().contains("not found"));
    }

    #[test]
    fn texts_that_were_read_are_remembered_wherever_they_came_from() {
        let root = tempfile::tempdir().unwrap();
        fs::write(root.path().join("p.md"), "today").unwrap();
        let context = context(root.path());
        for path in ["/p.md", "/gone.md"] {
            read_text(path, &context).unwrap();
        }
        let expected = [("/gone.md", "kept"), ("/p.md", "today")];
        let expected = expected.map(|(path, text)| (path.to_owned(), text.to_owned()));
        assert_eq!(context.read_texts.by_path(), BTreeMap::from(expected));
    }
}
