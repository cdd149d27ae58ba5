//! The workspace of a case.

use agentv_syntax::{NodeKind, Placed, PlacedField};

use super::notes::Notes;
use crate::shapes::CASE_FIELDS;

/// Returns a workspace in our words; `None` if it cannot be honoured.
pub(super) fn translated(mut field: PlacedField, notes: &mut Notes) -> Option<PlacedField> {
    let refuse = |notes: &mut Notes, field: &PlacedField, instead: &str| {
        notes.unsupported(&field.name, field.span.clone(), instead);
    };
    if CASE_FIELDS.field("workspace").is_none() {
        refuse(
            notes,
            &field,
            "remove it, or run the case with a `cli` target that prepares its folder",
        );
        return None;
    }
    if field.value.kind() == NodeKind::String {
        refuse(
            notes,
            &field,
            "write the workspace itself here, as `workspace: {from: FOLDER}`",
        );
        return None;
    }
    let mut theirs = std::mem::replace(&mut field.value, Placed::map(field.span.clone()));
    let ours = &mut field.value;
    ours.span = theirs.span.clone();
    if let Some(template) = theirs.take("template") {
        ours.put_as("from", template);
    }
    if let Some(mut hooks) = theirs.take("hooks") {
        let enabled = hooks.value.take("enabled");
        let is_off = enabled.is_some_and(|it| it.value.as_bool() == Some(false));
        for (theirs, mine) in [
            ("before_all", "setup"),
            ("before_each", "setup"),
            ("after_each", "teardown"),
            ("after_all", "teardown"),
        ] {
            let hook = hooks.value.take(theirs).filter(|_| !is_off);
            if let Some(hook) = hook {
                add_command(ours, mine, hook, notes);
            }
        }
    }
    for (name, harmless) in [
        ("isolation", "per_test"),
        ("scope", "test"),
        ("mode", "temp"),
    ] {
        let Some(found) = theirs.take(name) else {
            continue;
        };
        if found.value.as_str() != Some(harmless) {
            notes.unused_because(&found, "every trial has a workspace of its own");
        }
    }
    for other in theirs.fields() {
        let instead = match other.name.as_str() {
            "repos" => {
                "use `template` with a folder, or a `before_each` hook that clones the repository"
            }
            "docker" => "set `sandbox: {docker: IMAGE}` on the target",
            "path" => "use `template`: every trial gets a copy of that folder",
            _ => "remove it",
        };
        refuse(notes, other, instead);
    }
    Some(field)
}

/// Returns the environment of a case of AgentV 5 as a workspace; `None` if it cannot be honoured.
pub(super) fn of_environment(mut field: PlacedField, notes: &mut Notes) -> Option<PlacedField> {
    let kind = field.value.take("type");
    let kind = kind.and_then(|kind| kind.value.as_str().map(str::to_owned));
    if CASE_FIELDS.field("workspace").is_none() || kind.as_deref() != Some("host") {
        let instead = "use a `host` environment, and set `sandbox` on the target";
        notes.unsupported("environment", field.span, instead);
        return None;
    }
    let mut theirs = std::mem::replace(&mut field.value, Placed::map(field.span.clone()));
    field.value.span = theirs.span.clone();
    if let Some(folder) = theirs.take("workdir") {
        field.value.put_as("from", folder);
    }
    if let Some(setup) = theirs.take("setup") {
        add_command(&mut field.value, "setup", setup, notes);
    }
    for other in theirs.fields() {
        notes.unsupported(&other.name, other.span.clone(), "set it on the target");
    }
    Some(field)
}

/// Adds the command of a hook to `setup` or `teardown`.
fn add_command(ours: &mut Placed, name: &str, mut hook: PlacedField, notes: &mut Notes) {
    let command = hook.value.take("command");
    let command = command.or_else(|| hook.value.take("script"));
    for rest in hook.value.fields() {
        let is_here = rest
            .value
            .as_str()
            .is_some_and(|it| it == "." || it == "./");
        match rest.name.as_str() {
            "reset" => notes.unused_because(rest, "every trial has a fresh workspace"),
            "timeout_ms" | "timeoutMs" => {
                notes.unused_because(rest, "set `timeout_seconds` of the workspace");
            }
            "cwd" if is_here => {}
            "cwd" => {
                let instead = "let the command change to the folder: it runs in the workspace";
                notes.unsupported("cwd", rest.span.clone(), instead);
            }
            _ => notes.unused(rest),
        }
    }
    let Some(command) = command else { return };
    let argv = match command.value.kind() {
        NodeKind::String => {
            let span = command.value.span.clone();
            let shell = ["sh", "-c"].map(|word| Placed::text(span.clone(), word));
            let words = shell.into_iter().chain([command.value]);
            Placed::list(span, words.collect())
        }
        _ => command.value,
    };
    let before = ours.take(name);
    let span = before
        .as_ref()
        .map_or(hook.span, |before| before.span.clone());
    let mut commands = before.map_or_else(Vec::new, |before| before.value.items().to_vec());
    commands.push(argv);
    ours.put(name, span.clone(), Placed::list(span, commands));
}
