//! `agentv targets check`: each target is asked once.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use agentv_core::{Cause, ProviderError, Request, Secrets, Target, is_obeyed};
use agentv_providers::{Environment, Targets};
use serde_json::json;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::{environment, open, surroundings};
use crate::arguments::{CheckArguments, ListFormat};
use crate::exit::{CommandError, Exit};
use crate::output::{self, in_columns};

const QUESTION: &str = "Reply with the word OK.";

/// How a target did.
struct Checked {
    name: String,
    kind: String,
    outcome: Result<Duration, Trouble>,
}

struct Trouble {
    message: String,
    hint: Option<String>,
}

pub(super) fn run(arguments: &CheckArguments) -> Result<Exit, CommandError> {
    let surroundings = surroundings();
    let opened = open(arguments.targets.as_ref(), &surroundings);
    let opened = opened.and_then(|targets| Ok((targets, environment(&surroundings)?)));
    let (targets, environment) = match opened {
        Ok(opened) => opened,
        Err(exit) => return Ok(exit),
    };
    let names = match names(&arguments.names, &targets, &environment) {
        Ok(names) => names,
        Err(exit) => return Ok(exit),
    };
    let (checks, secrets) = resolved(&names, &targets, &environment);
    let runtime = match tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
    {
        Ok(runtime) => runtime,
        Err(error) => {
            output::error(&format!("nothing can be asked: {error}"), None);
            return Ok(Exit::Unusable);
        }
    };
    let folder: Arc<Path> = surroundings.folder.into();
    let timeout = Duration::from_secs_f64(arguments.timeout);
    let checked = runtime.block_on(check_all(checks, &folder, timeout));
    let told = match arguments.format {
        ListFormat::Text => for_people(&checked),
        ListFormat::Json => for_scripts(&checked),
    };
    let mut stdout = output::stdout();
    stdout.write_all(secrets.redact(&told).as_bytes())?;
    stdout.flush()?;
    Ok(
        match checked.iter().all(|checked| checked.outcome.is_ok()) {
            true => Exit::Success,
            false => Exit::Problems,
        },
    )
}

/// The targets to check: those that were named, else all of the file. A name that nobody has is
/// told.
fn names(
    named: &[String],
    targets: &Targets,
    environment: &Environment,
) -> Result<Vec<String>, Exit> {
    if named.is_empty() {
        let names: Vec<String> = targets
            .listed()
            .map(|target| target.name.to_owned())
            .collect();
        if names.is_empty() {
            output::error(
                "no targets.yaml was found, so there is nothing to check",
                Some("name a target, such as `agentv targets check openai:gpt-5`"),
            );
            return Err(Exit::Unusable);
        }
        return Ok(names);
    }
    let mut unknown = false;
    let mut names: Vec<String> = Vec::new();
    for name in named {
        if !targets.knows(name) {
            unknown = true;
            if let Err(error) = targets.resolve(name, environment) {
                output::error(&error.to_string(), error.hint.as_deref());
            }
        } else if !names.contains(name) {
            names.push(name.clone());
        }
    }
    if unknown {
        Err(Exit::Unusable)
    } else {
        Ok(names)
    }
}

/// The targets that can be asked, what became of the others, and what must not be shown.
fn resolved(
    names: &[String],
    targets: &Targets,
    environment: &Environment,
) -> (Vec<Result<Target, Checked>>, Secrets) {
    let mut secrets = Secrets::default();
    let mut told: Vec<String> = Vec::new();
    let mut checks = Vec::new();
    for name in names {
        checks.push(match targets.resolve(name, environment) {
            Ok(resolved) => {
                secrets.extend(&resolved.secrets);
                told.extend(resolved.warnings);
                Ok(resolved.target)
            }
            Err(error) => Err(Checked {
                name: name.clone(),
                kind: kind_of(name, targets),
                outcome: Err(Trouble {
                    message: error.to_string(),
                    hint: error.hint,
                }),
            }),
        });
    }
    told.sort_unstable();
    told.dedup();
    for warning in told {
        output::note(&format!("warning: {warning}"));
    }
    (checks, secrets)
}

fn kind_of(name: &str, targets: &Targets) -> String {
    let listed = targets.listed().find(|target| target.name == name);
    match listed {
        Some(target) => target.kind.to_owned(),
        None => name.split(':').next().unwrap_or_default().to_owned(),
    }
}

/// Asks all at the same time; what is found stands in the order of the targets.
async fn check_all(
    checks: Vec<Result<Target, Checked>>,
    folder: &Arc<Path>,
    timeout: Duration,
) -> Vec<Checked> {
    let mut asking = JoinSet::new();
    for (index, check) in checks.into_iter().enumerate() {
        let folder = Arc::clone(folder);
        asking.spawn(async move {
            let checked = match check {
                Ok(target) => Checked {
                    outcome: ask(&target, folder, timeout).await,
                    name: target.name,
                    kind: target.kind,
                },
                Err(checked) => checked,
            };
            (index, checked)
        });
    }
    let mut checked = asking.join_all().await;
    checked.sort_by_key(|(index, _)| *index);
    checked.into_iter().map(|(_, checked)| checked).collect()
}

async fn ask(target: &Target, folder: Arc<Path>, timeout: Duration) -> Result<Duration, Trouble> {
    let request = Request {
        eval_id: "check".to_owned(),
        ..Request::of_text(QUESTION, folder, timeout)
    };
    let cancel = CancellationToken::new();
    let facts = agentv_providers::facts(&target.kind);
    let is_recording = facts.is_some_and(|facts| facts.is_recording);
    let asking = async {
        target.provider.prepare(&cancel).await?;
        let started = Instant::now();
        match target.provider.answer(&request, &cancel).await {
            // A recording that can be read is fine: nobody recorded an answer to this.
            Err(error) if is_recording && error.cause == Cause::Missing => {}
            answer => drop(answer?),
        }
        Ok::<_, ProviderError>(started.elapsed())
    };
    // A command has the same time, and tells more when that is over.
    let a_moment_later = timeout.saturating_add(Duration::from_millis(200));
    let patience = timeout.saturating_add(Duration::from_secs(15));
    let answered = tokio::time::timeout(patience, within(a_moment_later, &cancel, asking)).await;
    match answered.unwrap_or_default() {
        Some(Ok(latency)) => Ok(latency),
        Some(Err(error)) => Err(Trouble {
            message: error.message,
            hint: None,
        }),
        None => Err(Trouble {
            message: format!("no answer came within {timeout:?}"),
            hint: Some("`--timeout` gives it more time".to_owned()),
        }),
    }
}

/// Asks to give up when the time is over, and waits for that; nothing where it was given up.
async fn within<T>(
    timeout: Duration,
    cancel: &CancellationToken,
    asking: impl Future<Output = Result<T, ProviderError>>,
) -> Option<Result<T, ProviderError>> {
    tokio::pin!(asking);
    tokio::select! {
        answered = &mut asking => return Some(answered),
        () = tokio::time::sleep(timeout) => cancel.cancel(),
    }
    match asking.await {
        Err(error) if error.cause == Cause::Cancelled => None,
        answered => Some(answered),
    }
}

fn for_people(checked: &[Checked]) -> String {
    let rows: Vec<[String; 4]> = checked
        .iter()
        .map(|checked| {
            let (verdict, rest) = match &checked.outcome {
                Ok(latency) => ("ok", format!("{} ms", latency.as_millis())),
                Err(trouble) => {
                    let hint = trouble.hint.as_deref();
                    let hint = hint.map(|hint| format!(" ({hint})")).unwrap_or_default();
                    ("error", format!("{}{hint}", one_line(&trouble.message)))
                }
            };
            let name = checked.name.clone();
            [verdict.to_owned(), name, checked.kind.clone(), rest]
        })
        .collect();
    in_columns(&rows)
}

/// Text of a server or a command may hold anything; a terminal must not act on it.
fn one_line(text: &str) -> String {
    let letters = text.chars();
    let shown = letters.map(|letter| if is_obeyed(letter) { ' ' } else { letter });
    shown.collect()
}

fn for_scripts(checked: &[Checked]) -> String {
    let mut told = String::new();
    for Checked {
        name,
        kind,
        outcome,
    } in checked
    {
        let mut row = json!({"name": name, "provider": kind, "ok": outcome.is_ok()});
        match outcome {
            Ok(latency) => row["latency_ms"] = (latency.as_secs_f64() * 1000.0).into(),
            Err(trouble) => {
                row["error"] = trouble.message.as_str().into();
                if let Some(hint) = &trouble.hint {
                    row["hint"] = hint.as_str().into();
                }
            }
        }
        told.push_str(&format!("{row}\n"));
    }
    told
}
