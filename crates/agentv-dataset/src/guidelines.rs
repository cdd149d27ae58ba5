//! The files of a case that are guidelines.

use std::path::Path;

use agentv_core::{Block, Content, Message};
use globset::{Glob, GlobBuilder, GlobSet, GlobSetBuilder};

use crate::project::{Project, relative_path};

/// The `guideline_patterns` of a project. Without any, nothing is a guideline.
#[derive(Debug)]
pub(crate) struct Guidelines {
    project: Project,
    /// Patterns for paths, in which only `/` matches `/`.
    paths: GlobSet,
    /// Patterns without `/`, for file names.
    names: GlobSet,
}

/// A pattern that is not a glob.
#[derive(Debug, thiserror::Error)]
#[error("not a valid glob: {}", error.kind())]
pub(crate) struct InvalidPattern {
    /// The index of the pattern.
    pub(crate) index: usize,
    error: globset::Error,
}

impl Guidelines {
    pub(crate) fn none(project: Project) -> Guidelines {
        Guidelines {
            project,
            paths: GlobSet::empty(),
            names: GlobSet::empty(),
        }
    }

    /// Compiles the patterns.
    ///
    /// # Errors
    /// Fails if a pattern cannot be parsed, or all together are too large.
    pub(crate) fn new(project: Project, patterns: &[String]) -> Result<Guidelines, InvalidPattern> {
        let mut paths = GlobSetBuilder::new();
        let mut names = GlobSetBuilder::new();
        for (index, pattern) in patterns.iter().enumerate() {
            let glob = path_glob(pattern).map_err(|error| InvalidPattern { index, error })?;
            if !pattern.contains('/') {
                names.add(glob.clone());
            }
            paths.add(glob);
        }
        let too_many = |error| InvalidPattern { index: 0, error };
        Ok(Guidelines {
            project,
            paths: paths.build().map_err(too_many)?,
            names: names.build().map_err(too_many)?,
        })
    }

    fn matches(&self, path: &str) -> bool {
        if self.paths.is_empty() {
            return false;
        }
        let from_folder = relative_path(&self.project.folder, &self.project.root.join(path));
        let name = Path::new(path).file_name();
        self.paths.is_match(path)
            || self.paths.is_match(from_folder)
            || name.is_some_and(|name| self.names.is_match(name))
    }

    /// Returns the guidelines among the files of these messages, each once, in order.
    pub(crate) fn among(&self, messages: &[Message]) -> Vec<String> {
        let mut found: Vec<String> = Vec::new();
        if self.paths.is_empty() {
            return found;
        }
        for message in messages {
            let Some(Content::Blocks(blocks)) = &message.content else {
                continue;
            };
            for block in blocks {
                if let Block::File(file) = block
                    && let Some(path) = &file.path
                    && !found.contains(path)
                    && self.matches(path)
                {
                    found.push(path.clone());
                }
            }
        }
        found
    }
}

fn path_glob(pattern: &str) -> Result<Glob, globset::Error> {
    let pattern = pattern.strip_prefix("./").unwrap_or(pattern);
    GlobBuilder::new(pattern).literal_separator(true).build()
}
