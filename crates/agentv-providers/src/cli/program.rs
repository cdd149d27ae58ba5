//! The files that decide what a command answers: its words that are files, and its `inputs`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use agentv_core::{ProgramFile, ProgramFiles};

use super::inputs::{Inputs, files_in};
use super::program_text::takes_program;
use super::words::{Words, words_of_line};
use crate::program_path::{name_of, plain};

/// The files behind a command, as far as its text and its `inputs` tell.
pub(crate) struct Program {
    commands: Vec<Words>,
    inputs: Inputs,
    /// The root of the project.
    root: PathBuf,
}

impl Program {
    /// Notes the words of a command.
    pub(crate) fn of(commands: Vec<Words>, inputs: Inputs, root: &Path) -> Program {
        Program {
            commands,
            inputs,
            root: root.to_owned(),
        }
    }

    /// Checks for a command that gives a shell its program, as in `sh -c 'echo …'`. A program in another language
    /// may import files that the command does not name.
    pub(crate) fn is_inline(&self) -> bool {
        let is_shell =
            |words: &&Words| words.first().is_some_and(|program| program.ends_with("sh"));
        let shells = self.commands.iter().filter(is_shell);
        let mut pairs = shells.flat_map(|words| words.windows(2));
        let is_text = |word: &str| word.contains(char::is_whitespace);
        pairs.any(|pair| takes_program(&pair[0]) && is_text(&pair[1]))
    }

    /// Returns the files for a command that runs in `cwd`.
    pub(crate) fn files(&self, cwd: &Path) -> ProgramFiles {
        let mut found = Found {
            root: &self.root,
            files: BTreeMap::new(),
        };
        found.add_words(&self.commands, cwd, 0);
        let unmatched = self.inputs.visit(cwd, &mut |path| found.add(&path));
        ProgramFiles {
            files: found.files.into_values().collect(),
            unmatched,
        }
    }
}

/// The deepest nesting of shell lines in words: `sh -c 'sh -c …'`.
const DEEPEST: usize = 3;

/// The files that make a folder a program, as in `python3 FOLDER` and `node FOLDER`.
const STARTS: [&str; 3] = ["__main__.py", "package.json", "index.js"];

/// Returns the modules that a command runs with `-m`, as `python3 -m agent` does.
fn modules_of(words: &[String]) -> impl Iterator<Item = &str> {
    let pairs = words.windows(2).filter(|pair| pair[0] == "-m");
    let modules = pairs.map(|pair| pair[1].as_str());
    modules.filter(|module| !module.is_empty() && !module.contains(['/', '\\']))
}

/// The files that were found so far, by name.
struct Found<'r> {
    root: &'r Path,
    files: BTreeMap<String, ProgramFile>,
}

impl Found<'_> {
    fn add_words(&mut self, commands: &[Words], cwd: &Path, depth: usize) {
        let mut folder = cwd.to_owned();
        for words in commands {
            if let [program, place, ..] = words.as_slice()
                && program == "cd"
            {
                folder.push(place);
                continue;
            }
            for word in words {
                self.add_word(word, &folder, depth);
            }
            for module in modules_of(words) {
                self.add_module(module, &folder);
            }
        }
    }

    /// Adds the file that a word names, alone or behind `=`, as in `--config=agent.json`, or all files of a
    /// folder that is a program. A word with spaces may be a line for another shell.
    fn add_word(&mut self, word: &str, folder: &Path, depth: usize) {
        if word.contains(char::is_whitespace) && depth < DEEPEST {
            self.add_words(&words_of_line(word), folder, depth + 1);
        }
        let value = word.split_once('=').map(|(_, value)| value);
        for name in std::iter::once(word).chain(value) {
            let path = folder.join(name);
            if name.is_empty() || !self.is_inside(&path) {
                continue;
            }
            if path.is_file() {
                self.add(&path);
            } else if STARTS.iter().any(|start| path.join(start).is_file()) {
                files_in(&plain(&path), &mut |file| self.add(&file));
            }
        }
    }

    /// Adds the file of a Python module, or the files with which a package starts.
    fn add_module(&mut self, module: &str, folder: &Path) {
        let place = folder.join(module.replace('.', "/"));
        let package = ["__main__.py", "__init__.py"].map(|file| place.join(file));
        for path in package.into_iter().chain([place.with_extension("py")]) {
            if path.is_file() && self.is_inside(&path) {
                self.add(&path);
            }
        }
    }

    /// Checks for a path inside the project, as it is written or behind its links.
    fn is_inside(&self, path: &Path) -> bool {
        let real = || {
            path.canonicalize()
                .is_ok_and(|real| real.starts_with(self.root))
        };
        plain(path).starts_with(self.root) || real()
    }

    fn add(&mut self, path: &Path) {
        let path = plain(path);
        let name = name_of(&path, self.root);
        let file = ProgramFile {
            name: name.clone(),
            path,
        };
        self.files.insert(name, file);
    }
}
