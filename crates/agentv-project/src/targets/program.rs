//! The programs of targets: digests of the files that decide their answers.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::path::{Path, PathBuf};

use agentv_core::{Program, ProgramFile, Target};
use agentv_runner::digest_of_file;

/// A reader of programs. It reads each file once, piece by piece.
#[derive(Default)]
pub(super) struct ProgramReader {
    digests: HashMap<PathBuf, String>,
}

impl ProgramReader {
    /// Returns the program of a target for the cases of an eval file in `folder`, and warnings about it.
    pub(super) fn read(&mut self, target: &Target, folder: &Path) -> (Program, Vec<String>) {
        let found = target.provider.program(folder);
        let files = found.files.into_iter();
        let program = files.map(|file| (file.name.clone(), self.digest(file)));
        let warnings = found.unmatched.into_iter().map(|pattern| {
            let name = &target.name;
            format!("`inputs` of target `{name}`: no file matches `{pattern}`")
        });
        (program.collect(), warnings.collect())
    }

    /// Returns the files that were read.
    pub(super) fn into_files(self) -> impl Iterator<Item = PathBuf> {
        self.digests.into_keys()
    }

    /// Returns the digest of a file. A file that cannot be read counts as changed when it can be read
    /// again.
    fn digest(&mut self, file: ProgramFile) -> String {
        match self.digests.entry(file.path) {
            Entry::Occupied(known) => known.get().clone(),
            Entry::Vacant(new) => {
                let digest = digest_of_file(new.key());
                let digest = digest.unwrap_or_else(|error| format!("unreadable: {}", error.kind()));
                new.insert(digest).clone()
            }
        }
    }
}
