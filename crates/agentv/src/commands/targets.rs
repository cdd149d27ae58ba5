//! `agentv targets`: lists targets, and checks that they answer.

use std::io::Write;

use agentv_core::{OfferedTool, Profile, TokenPrice, is_obeyed};
use agentv_project::{CheckedAnswer, CheckedTarget, Project, ProjectError};
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
    let mut stdout = output::verdict();
    stdout.write_all(secrets.redact(&text).as_bytes())?;
    stdout.flush()?;
    let all_answer = checked.iter().all(|checked| checked.answered.is_ok());
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

/// Renders one line per target, and below it what a model target was understood to be.
fn checked_text(checked: &[CheckedTarget]) -> String {
    let rows: Vec<[String; 4]> = checked
        .iter()
        .map(|checked| {
            let (verdict, rest) = match &checked.answered {
                Ok(answer) => ("ok", times(answer)),
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
    let lines = in_columns(&rows);
    let mut text = String::new();
    for (line, checked) in lines.lines().zip(checked) {
        text.push_str(&format!("{line}\n"));
        let details = checked.profile.as_ref().map(details).unwrap_or_default();
        for detail in in_columns(&details).lines() {
            text.push_str(&format!("    {detail}\n"));
        }
    }
    text
}

fn times(answer: &CheckedAnswer) -> String {
    let latency = answer.latency.as_millis();
    match answer.first_token_ms {
        Some(first) => format!("{latency} ms, first token after {first:.0} ms"),
        None => format!("{latency} ms"),
    }
}

/// Returns the names and values of what a model target was understood to be.
fn details(profile: &Profile) -> Vec<[String; 2]> {
    let images = match profile.images {
        Some(true) => "yes",
        Some(false) => "no",
        None => "unknown; the protocol carries them",
    };
    let rows = [
        ("protocol", profile.protocol.clone()),
        ("model", profile.model.clone()),
        ("price", price(profile.price)),
        ("tools", tools(profile)),
        ("images", images.to_owned()),
    ];
    rows.map(|(name, value)| [name.to_owned(), one_line(&value)])
        .to_vec()
}

fn price(price: Option<TokenPrice>) -> String {
    let Some(price) = price else {
        return "unknown; to know costs, set `price`".to_owned();
    };
    let TokenPrice {
        input,
        output,
        cached_input,
        is_own,
    } = price;
    let cached = cached_input.map(|cached| format!(", ${cached} for cached input"));
    let source = if is_own {
        "the target's own"
    } else {
        "list price"
    };
    format!(
        "${input} for input, ${output} for output{} per million tokens ({source})",
        cached.unwrap_or_default()
    )
}

/// Lists tools, those of the same origin together.
fn tools(profile: &Profile) -> String {
    let tools: &[OfferedTool] = &profile.tools;
    if profile.lacks_tools {
        return "unknown: a server is not connected".to_owned();
    }
    if tools.is_empty() {
        return "none".to_owned();
    }
    let groups = tools.chunk_by(|one, other| one.source == other.source);
    let groups: Vec<String> = groups
        .map(|group| {
            let names: Vec<&str> = group.iter().map(|tool| tool.name.as_str()).collect();
            let source = group[0].source.as_deref().unwrap_or("no result");
            format!("{} ({source})", names.join(", "))
        })
        .collect();
    groups.join("; ")
}

/// Replaces letters that a terminal would obey: text of a server or a command may hold anything.
fn one_line(text: &str) -> String {
    let letters = text.chars();
    let shown = letters.map(|letter| if is_obeyed(letter) { ' ' } else { letter });
    shown.collect()
}

/// Renders one JSON object per line.
fn checked_json(checked: &[CheckedTarget]) -> String {
    let mut text = String::new();
    for CheckedTarget {
        name,
        provider,
        profile,
        answered,
    } in checked
    {
        let mut row = json!({"name": name, "provider": provider, "ok": answered.is_ok()});
        if let Some(profile) = profile {
            row["protocol"] = profile.protocol.as_str().into();
            row["model"] = profile.model.as_str().into();
            row["price"] = json!(profile.price);
            row["tools"] = json!(profile.tools);
            row["images"] = json!(profile.images);
            row["stream"] = profile.stream.into();
        }
        match answered {
            Ok(answer) => {
                row["latency_ms"] = (answer.latency.as_secs_f64() * 1000.0).into();
                if let Some(first) = answer.first_token_ms {
                    row["first_token_ms"] = first.into();
                }
            }
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
