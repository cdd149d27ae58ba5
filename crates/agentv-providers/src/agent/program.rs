//! The program of an agent: its path, its version, and the files that decide its behaviour.

use std::path::{Path, PathBuf};

use agentv_core::{ProgramFile, ProgramFiles};
use serde_json::Value;

use crate::Environment;
use crate::cli::{Inputs, Program};

/// Returns the command for a trial: words that name a file relative to the eval file become absolute,
/// since the agent runs in its workspace.
pub(super) fn absolute(command: &[String], folder: &Path) -> Vec<String> {
    let words = command.iter().enumerate().map(|(place, word)| {
        // A program without a slash is looked up in `PATH`, as in a shell.
        if word.starts_with('-') || (place == 0 && !word.contains('/')) {
            return word.clone();
        }
        let path = folder.join(word);
        if path.is_file() {
            path.to_string_lossy().into_owned()
        } else {
            word.clone()
        }
    });
    words.collect()
}

/// Returns the folders that an agent needs to start, for a sandbox that hides some: those of the files that
/// its command names, and of its program with the packages beside it.
pub(super) fn folders(
    command: &[String],
    folder: &Path,
    environment: &Environment,
) -> Vec<PathBuf> {
    let words = absolute(command, folder);
    let files = words.iter().map(PathBuf::from);
    let files = files.filter(|file| file.is_absolute() && file.is_file());
    let program = words
        .first()
        .and_then(|word| find(word, folder, environment));
    let mut folders: Vec<PathBuf> = Vec::new();
    for file in files.chain(program) {
        let real = file.canonicalize().unwrap_or_else(|_| file.clone());
        let packages = real
            .ancestors()
            .filter(|path| path.ends_with("node_modules"));
        let packages = packages.last().map(PathBuf::from);
        let parents = [file, real].into_iter();
        let parents = parents.filter_map(|file| file.parent().map(PathBuf::from));
        folders.extend(parents.chain(packages));
    }
    folders.sort();
    folders.dedup();
    folders
}

/// Returns the folders of the files of the project that a command names. A container has its own programs.
pub(super) fn project_folders(command: &[String], folder: &Path) -> Vec<PathBuf> {
    let words = command.iter().zip(absolute(command, folder));
    let named = words.filter(|(word, _)| !Path::new(word).is_absolute());
    let files = named.map(|(_, path)| PathBuf::from(path));
    let files = files.filter(|file| file.is_absolute() && file.is_file());
    files
        .filter_map(|file| file.parent().map(PathBuf::from))
        .collect()
}

/// Returns the files that decide the behaviour of an agent: words of its command that are files of the
/// project, and the description of its package, or the program itself if it is in none.
pub(super) fn files(
    command: &[String],
    folder: &Path,
    root: &Path,
    environment: &Environment,
) -> ProgramFiles {
    let words = Program::of(vec![command.to_vec()], Inputs::default(), root);
    let mut found = words.files(folder);
    let Some(program) = command
        .first()
        .and_then(|word| find(word, folder, environment))
    else {
        return found;
    };
    let real = program.canonicalize().unwrap_or(program);
    if real.starts_with(root) {
        return found;
    }
    let word = command.first().map_or("", String::as_str);
    let path = package_of(&real).map_or(real, |(path, _)| path);
    found.files.push(ProgramFile {
        name: format!("{word} (version)"),
        path,
    });
    found
}

/// Returns the version in the description of the package that a program belongs to.
pub(super) fn version(word: &str, folder: &Path, environment: &Environment) -> Option<String> {
    let program = find(word, folder, environment)?;
    let (_, version) = package_of(&program.canonicalize().ok()?)?;
    Some(version)
}

/// Checks for a program by name that is not in `PATH`. One that is named by its path depends on the eval
/// file.
pub(super) fn is_missing(word: &str, environment: &Environment) -> bool {
    !word.contains('/') && find(word, Path::new(""), environment).is_none()
}

/// Returns the path of a program: relative to `folder`, or in `PATH`.
fn find(word: &str, folder: &Path, environment: &Environment) -> Option<PathBuf> {
    if word.contains('/') {
        return Some(folder.join(word)).filter(|path| path.is_file());
    }
    let folders = std::env::split_paths(environment.get("PATH")?).collect::<Vec<_>>();
    let mut paths = folders.iter().map(|folder| folder.join(word));
    paths.find(|path| path.is_file())
}

/// Returns the nearest `package.json` above a program that states a version, and the version.
fn package_of(program: &Path) -> Option<(PathBuf, String)> {
    program.ancestors().skip(1).take(5).find_map(|folder| {
        let path = folder.join("package.json");
        let package: Value = serde_json::from_slice(&std::fs::read(&path).ok()?).ok()?;
        let version = package.get("version")?.as_str()?.to_owned();
        Some((path, version))
    })
}
