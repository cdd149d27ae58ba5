//! `agentv targets list`: the targets of the file, and the built-in ones.

use std::io::Write;

use agentv_providers::{ListedTarget, Targets, built_in, vendors};
use serde_json::json;

use super::{open, surroundings};
use crate::arguments::{ListArguments, ListFormat};
use crate::exit::{CommandError, Exit};
use crate::output::{self, in_columns};

pub(super) fn run(arguments: &ListArguments) -> Result<Exit, CommandError> {
    let surroundings = surroundings();
    let targets = match open(arguments.targets.as_ref(), &surroundings) {
        Ok(targets) => targets,
        Err(exit) => return Ok(exit),
    };
    let told = match arguments.format {
        ListFormat::Text => for_people(&targets),
        ListFormat::Json => for_scripts(&targets),
    };
    if targets.file().is_none() {
        output::note("no targets.yaml was found; built-in targets need none");
    }
    let mut stdout = output::stdout();
    stdout.write_all(told.as_bytes())?;
    stdout.flush()?;
    Ok(Exit::Success)
}

fn for_people(targets: &Targets) -> String {
    let file = targets.file().map_or("", |file| file);
    let rows: Vec<[String; 4]> = targets
        .listed()
        .map(|target| {
            let ListedTarget {
                name,
                kind,
                model,
                line,
            } = target;
            let model = model.unwrap_or_default();
            let place = format!("{file}:{line}");
            [name.to_owned(), kind.to_owned(), model.to_owned(), place]
        })
        .collect();
    let mut told = in_columns(&rows);
    if !told.is_empty() {
        told.push('\n');
    }
    let vendors: Vec<&str> = vendors().collect();
    told.push_str(&format!(
        "Built in: {}, and VENDOR:MODEL with one of {}\n",
        built_in().join(", "),
        vendors.join(", ")
    ));
    told
}

/// One JSON object a line; built-in targets have no file.
fn for_scripts(targets: &Targets) -> String {
    let mut told = String::new();
    for target in targets.listed() {
        let mut row = json!({"name": target.name, "provider": target.kind});
        if let Some(model) = target.model {
            row["model"] = model.into();
        }
        row["file"] = targets.file().map(|file| file.to_string()).into();
        row["line"] = target.line.into();
        told.push_str(&format!("{row}\n"));
    }
    for name in built_in() {
        let defined = targets.listed().any(|target| target.name == name);
        if !defined {
            told.push_str(&format!("{}\n", json!({"name": name, "provider": name})));
        }
    }
    told
}
