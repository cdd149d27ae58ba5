//! `agentv targets`: lists targets, and checks that they answer.

use std::io::Write;

use agentv_core::is_obeyed;
use agentv_project::{CheckedTarget, Project, ProjectError};
use agentv_providers::{ListedTarget, Targets, built_in, vendors};
use serde_json::json;

use crate::arguments::{
    CheckArguments, ListArguments, ListFormat, TargetsAction, TargetsArguments,
};
use crate::exit::{CommandError, Exit};
use crate::log;
use crate::output::{self, in_columns};
use crate::stderr_notices::StderrNotices;

pub(crate) fn run(arguments: &TargetsArguments) -> Result<Exit, CommandError> {
    match &arguments.action {
        TargetsAction::List(arguments) => list(arguments),
        TargetsAction::Check(arguments) => check(arguments),
    }
}

fn list(arguments: &ListArguments) -> Result<Exit, CommandError> {
    let notices = &mut StderrNotices::new();
    let known = Project::here().targets(arguments.targets.as_deref(), notices)?;
    let targets = known.targets();
    let text = match arguments.format {
        ListFormat::Text => listed_text(targets),
        ListFormat::Json => listed_json(targets),
    };
    if targets.file().is_none() {
        output::note("no targets.yaml found; built-in targets work without one");
    }
    let mut stdout = output::stdout();
    stdout.write_all(text.as_bytes())?;
    stdout.flush()?;
    Ok(Exit::Success)
}

fn check(arguments: &CheckArguments) -> Result<Exit, CommandError> {
    let project = Project::here();
    let notices = &mut StderrNotices::new();
    let known = project.targets(arguments.targets.as_deref(), notices)?;
    let check = known.check(&project, &arguments.names, notices)?;
    let secrets = check.secrets();
    log::hide(&secrets);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| ProjectError::because(format!("no target can be called: {error}")))?;
    let checked = runtime.block_on(check.ask(arguments.timeout));
    let text = match arguments.format {
        ListFormat::Text => checked_text(&checked),
        ListFormat::Json => checked_json(&checked),
    };
    let mut stdout = output::stdout();
    stdout.write_all(secrets.redact(&text).as_bytes())?;
    stdout.flush()?;
    let all_answer = checked.iter().all(|checked| checked.latency.is_ok());
    Ok(if all_answer {
        Exit::Success
    } else {
        Exit::Problems
    })
}

fn listed_text(targets: &Targets) -> String {
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
    let mut text = in_columns(&rows);
    if !text.is_empty() {
        text.push('\n');
    }
    let vendors: Vec<&str> = vendors().collect();
    text.push_str(&format!(
        "Built in: {}, and VENDOR:MODEL, where VENDOR is one of {}\n",
        built_in().join(", "),
        vendors.join(", ")
    ));
    text
}

/// Renders one JSON object per line. Built-in targets have no file.
fn listed_json(targets: &Targets) -> String {
    let mut text = String::new();
    for target in targets.listed() {
        let mut row = json!({"name": target.name, "provider": target.kind});
        if let Some(model) = target.model {
            row["model"] = model.into();
        }
        row["file"] = targets.file().map(|file| file.to_string()).into();
        row["line"] = target.line.into();
        text.push_str(&format!("{row}\n"));
    }
    for name in built_in() {
        let defined = targets.listed().any(|target| target.name == name);
        if !defined {
            text.push_str(&format!("{}\n", json!({"name": name, "provider": name})));
        }
    }
    text
}

fn checked_text(checked: &[CheckedTarget]) -> String {
    let rows: Vec<[String; 4]> = checked
        .iter()
        .map(|checked| {
            let (verdict, rest) = match &checked.latency {
                Ok(latency) => ("ok", format!("{} ms", latency.as_millis())),
                Err(trouble) => {
                    let hint = trouble.hint.as_deref();
                    let hint = hint.map(|hint| format!(" ({hint})")).unwrap_or_default();
                    ("error", format!("{}{hint}", one_line(&trouble.message)))
                }
            };
            let name = checked.name.clone();
            [verdict.to_owned(), name, checked.provider.clone(), rest]
        })
        .collect();
    in_columns(&rows)
}

/// Replaces letters that a terminal would obey: text of a server or a command may hold anything.
fn one_line(text: &str) -> String {
    let letters = text.chars();
    let shown = letters.map(|letter| if is_obeyed(letter) { ' ' } else { letter });
    shown.collect()
}

fn checked_json(checked: &[CheckedTarget]) -> String {
    let mut text = String::new();
    for CheckedTarget {
        name,
        provider,
        latency,
    } in checked
    {
        let mut row = json!({"name": name, "provider": provider, "ok": latency.is_ok()});
        match latency {
            Ok(latency) => row["latency_ms"] = (latency.as_secs_f64() * 1000.0).into(),
            Err(trouble) => {
                row["error"] = trouble.message.as_str().into();
                if let Some(hint) = &trouble.hint {
                    row["hint"] = hint.as_str().into();
                }
            }
        }
        text.push_str(&format!("{row}\n"));
    }
    text
}
