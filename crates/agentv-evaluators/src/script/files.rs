//! The files that a command names.

use std::path::{Path, PathBuf};

use agentv_workspace::EVAL_FOLDER;
use serde_json::Value;

use crate::files::LONGEST_PATH;
use crate::options::Options;

/// Returns the paths that the words of `script` may name, from the folder in `cwd` or the root.
///
/// A shell command line is split at white space, quotes and the shell's operators. The value of
/// `--option=value` counts as a word of its own.
pub(crate) fn files(options: &Options<'_>, root: &Path) -> Vec<PathBuf> {
    files_in("script", options, root)
}

/// Returns the paths that the words of the option `field` may name, from the folder in `cwd` or the root.
pub(crate) fn files_in(field: &str, options: &Options<'_>, root: &Path) -> Vec<PathBuf> {
    let folder = options.get("cwd").and_then(Value::as_str);
    let folder = root.join(folder.unwrap_or_default().trim_start_matches('/'));
    let Some(script) = options.get(field) else {
        return Vec::new();
    };
    let mut files: Vec<PathBuf> = words(script).map(|word| folder.join(word)).collect();
    crate::files::collect(script, root, &mut files);
    files
}

/// Returns the paths that the words of `command` name beside the eval file, as `$AGENTV_EVAL_DIR/check.py`.
/// The folder of the eval file is that of the resolved `cwd`.
pub(crate) fn files_beside_eval(options: &Options<'_>, root: &Path) -> Vec<PathBuf> {
    let folder = options.get("cwd").and_then(Value::as_str);
    let folder = root.join(folder.unwrap_or_default().trim_start_matches('/'));
    let Some(command) = options.get("command") else {
        return Vec::new();
    };
    let list = command.as_array().into_iter().flatten();
    let texts = list.filter_map(Value::as_str);
    let names = texts.flat_map(|text| {
        let uses = text.split('$').skip(1);
        uses.filter_map(|rest| {
            let rest = rest.strip_prefix('{').unwrap_or(rest);
            let rest = rest.strip_prefix(EVAL_FOLDER)?;
            let rest = rest
                .trim_start_matches(['}', '"', '\''])
                .strip_prefix('/')?;
            let end =
                rest.find(|letter: char| letter.is_whitespace() || ";|&<>()'\"`".contains(letter));
            Some(&rest[..end.unwrap_or(rest.len())])
        })
    });
    let names = names.filter(|name| !name.is_empty() && name.len() <= LONGEST_PATH);
    names.map(|name| folder.join(name)).collect()
}

fn words(script: &Value) -> impl Iterator<Item = &str> {
    let list = script.as_array().into_iter().flatten();
    let list = list.filter_map(Value::as_str);
    let line = script.as_str().unwrap_or_default();
    let is_separator = |letter: char| letter.is_whitespace() || ";|&<>()'\"`".contains(letter);
    let words = list.chain(line.split(is_separator));
    let words = words.filter(|word| !word.is_empty() && word.len() <= LONGEST_PATH);
    words.flat_map(|word| {
        let value = word.split_once('=').map(|(_, value)| value);
        std::iter::once(word).chain(value.filter(|value| !value.is_empty()))
    })
}
