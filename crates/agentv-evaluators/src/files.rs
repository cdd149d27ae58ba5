//! Files that a resolved case names.

use std::fs;
use std::path::{Path, PathBuf};

use crate::builder::BuildContext;

/// Largest file that an evaluator reads.
const LARGEST_FILE: u64 = 16 << 20;

/// The text of a file that a resolved case names: a path from the root, or one outside of it.
pub(crate) fn read_text(path: &str, context: &BuildContext) -> Result<String, String> {
    let file = find(path, context)?;
    let unusable = |error: &dyn std::fmt::Display| format!("`{path}`: {error}");
    let size = fs::metadata(&file).map_err(|error| unusable(&error))?.len();
    if size > LARGEST_FILE {
        return Err(unusable(&"larger than 16 MiB"));
    }
    let text = fs::read_to_string(&file).map_err(|error| unusable(&error))?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    Ok(text.replace("\r\n", "\n"))
}

/// The file that a resolved case names, if it may be used.
pub(crate) fn find(path: &str, context: &BuildContext) -> Result<PathBuf, String> {
    let from_root = context.root.join(path.trim_start_matches('/'));
    let candidates = [from_root.as_path(), Path::new(path)];
    let mut found = candidates
        .iter()
        .filter_map(|path| path.canonicalize().ok());
    let Some(file) = found.next() else {
        return Err(format!(
            "file not found: `{path}`, looked up from the project root"
        ));
    };
    let root = context.root.canonicalize();
    let is_inside = root.is_ok_and(|root| file.starts_with(root));
    if !is_inside && !context.allow_outside_root {
        return Err(format!("`{path}` lies outside the project root"));
    }
    if !file.is_file() {
        return Err(format!("`{path}` is not a file"));
    }
    Ok(file)
}
