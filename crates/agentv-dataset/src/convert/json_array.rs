//! A JSON file with an array of rows, written as JSON Lines.

use std::path::Path;
use std::sync::Arc;

use agentv_syntax::{Code, Diagnostic, Draft, Lines, NodeKind, Problem, Tree, json};

use super::conversion::check_place;
use super::error::ConvertError;
use super::options::{Conversion, ConvertOptions, Converted};
use super::write::{NewFile, finish};
use crate::format::read_text;
use crate::load::LoadError;
use crate::unsaved::UnsavedTexts;

/// Writes each object of an array on a line of its own. The rows stay as they are: a sidecar says what
/// their fields are.
pub(super) fn convert(
    input: &Path,
    output: &Path,
    options: &ConvertOptions,
) -> Result<Converted, ConvertError> {
    let file: Arc<str> = input.to_string_lossy().into();
    let text = read_text(input, &file, &UnsavedTexts::default()).map_err(LoadError::from)?;
    let lines = Lines::of(&text);
    let refused = |problem: Problem| {
        let diagnostic: Diagnostic = lines.place(&file, &text, problem);
        ConvertError::Problems(vec![diagnostic])
    };
    if options.to != Conversion::Jsonl {
        let message = "an array of rows can be written as JSON Lines only";
        let problem = Problem::fatal(Code::UnsupportedExtension, 0..0, message);
        return Err(refused(
            problem.hint("use `--to jsonl`, and give the rows a sidecar"),
        ));
    }
    let mut tree = Tree::default();
    json::parse(&text, &mut tree).map_err(|invalid| {
        let at = invalid.offset;
        let message = format!("Invalid JSON: {}", invalid.reason);
        refused(Problem::fatal(Code::InvalidJson, at..at + 1, message))
    })?;
    let root = tree.root();
    let odd = match root.kind() {
        NodeKind::Array => root.items().find(|item| item.kind() != NodeKind::Object),
        _ => Some(root),
    };
    if let Some(odd) = odd {
        let found = odd.kind().described();
        let message = format!("expected an array of objects, found {found}");
        let problem = Problem::fatal(Code::NotAnObject, odd.span(), message);
        return Err(refused(problem.at(root.path_to(odd))));
    }
    check_place(output, options.force)?;
    let mut main = NewFile::create(output)?;
    let mut cases = 0;
    for row in root.items() {
        main.write(&(Draft::from(row).to_json() + "\n"))?;
        cases += 1;
    }
    let mut files = Vec::new();
    finish(main, None, options.force, &mut files)?;
    Ok(Converted {
        cases,
        files,
        served_by: None,
        warnings: Vec::new(),
    })
}
