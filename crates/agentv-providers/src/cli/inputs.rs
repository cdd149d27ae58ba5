//! The field `inputs`: patterns of files that a command reads.

use std::path::{Path, PathBuf};

use globset::{GlobBuilder, GlobMatcher};
use ignore::WalkBuilder;
use serde_json::Value;

use crate::program_path::plain;
use crate::target::{SettingError, Settings};

/// The folders whose files never decide an answer.
const SKIPPED: &[&str] = &[".git", ".agentv", "__pycache__"];

/// The patterns of `inputs`.
#[derive(Default)]
pub(crate) struct Inputs(Vec<Pattern>);

struct Pattern {
    written: String,
    /// The part before the first wildcard.
    start: PathBuf,
    /// The rest; `None` if the pattern is a plain path.
    rest: Option<GlobMatcher>,
}

impl Inputs {
    /// Reads the patterns of a target.
    ///
    /// # Errors
    /// If one is not a glob.
    pub(crate) fn of(settings: &Settings) -> Result<Inputs, SettingError> {
        let written = settings.value("inputs").and_then(Value::as_array);
        let written = written.into_iter().flatten().filter_map(Value::as_str);
        let patterns = written.map(Pattern::of).collect::<Result<_, _>>();
        patterns
            .map(Inputs)
            .map_err(|error| SettingError::of("inputs", error.to_string()))
    }

    /// Visits every file that a pattern matches, relative to `cwd`. Returns the patterns that match
    /// none.
    pub(super) fn visit(&self, cwd: &Path, visit: &mut dyn FnMut(PathBuf)) -> Vec<String> {
        let mut unmatched = Vec::new();
        for pattern in &self.0 {
            if !pattern.visit(cwd, visit) {
                unmatched.push(pattern.written.clone());
            }
        }
        unmatched
    }
}

impl Pattern {
    fn of(written: &str) -> Result<Pattern, globset::Error> {
        let is_wild = |part: &str| part.contains(['*', '?', '[', '{']);
        let parts: Vec<&str> = written.split('/').collect();
        let wild = parts.iter().position(|part| is_wild(part));
        let (start, rest) = parts.split_at(wild.unwrap_or(parts.len()));
        let rest = if rest.is_empty() {
            None
        } else {
            let glob = GlobBuilder::new(&rest.join("/"))
                .literal_separator(true)
                .build()?;
            Some(glob.compile_matcher())
        };
        let start = if start == [""] {
            PathBuf::from("/")
        } else {
            PathBuf::from(start.join("/"))
        };
        Ok(Pattern {
            written: written.to_owned(),
            start,
            rest,
        })
    }

    /// Visits the files of the pattern. Returns true if there are any. A plain path may be a file, or a
    /// folder with all its files.
    fn visit(&self, cwd: &Path, visit: &mut dyn FnMut(PathBuf)) -> bool {
        let start = plain(&cwd.join(&self.start));
        if start.is_file() {
            if self.rest.is_none() {
                visit(start);
            }
            return self.rest.is_none();
        }
        let mut is_met = false;
        files_in(&start, &mut |path| {
            let inside = path.strip_prefix(&start).unwrap_or(&path);
            if self.rest.as_ref().is_none_or(|rest| rest.is_match(inside)) {
                is_met = true;
                visit(path);
            }
        });
        is_met
    }
}

/// Visits all files in a folder that may decide an answer.
pub(super) fn files_in(folder: &Path, visit: &mut dyn FnMut(PathBuf)) {
    let walk = WalkBuilder::new(folder)
        .standard_filters(false)
        .filter_entry(|entry| {
            let name = entry.file_name().to_str();
            entry.depth() == 0 || !name.is_some_and(|name| SKIPPED.contains(&name))
        })
        .build();
    for entry in walk.flatten() {
        // A link counts as the file behind it.
        if entry.path().is_file() {
            visit(entry.into_path());
        }
    }
}
