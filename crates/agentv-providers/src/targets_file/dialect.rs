//! Targets files in the words of other dialects, read as ours.

use agentv_syntax::yaml::InvalidYaml;
use agentv_syntax::{NodeKind, Placed, PlacedField, PlacedValue, Tree, yaml};

use crate::kinds;

/// Reads a targets file. One in the words of another dialect becomes one of ours, and every part of it
/// keeps its place.
///
/// # Errors
/// If the text is not YAML.
pub(crate) fn parse(source: &str) -> Result<Tree, InvalidYaml> {
    let mut tree = Tree::default();
    yaml::parse(source, &mut tree)?;
    let mut file = Placed::from(tree.root());
    if !translate(&mut file) {
        return Ok(tree);
    }
    Ok(file.to_tree(source))
}

/// Translates a file. Returns false if there was nothing to translate.
fn translate(file: &mut Placed) -> bool {
    let mut is_changed = fill_references(file);
    if file.given("targets").is_none()
        && let Some(providers) = file.take("providers")
    {
        is_changed = true;
        file.put_as("targets", providers);
    }
    let grader = file.take("defaults").and_then(|mut defaults| {
        is_changed = true;
        defaults.value.take("grader")
    });
    let Some(mut targets) = file.take("targets") else {
        return is_changed;
    };
    if let PlacedValue::List(items) = &mut targets.value.value {
        for target in items {
            is_changed |= translate_target(target, grader.as_ref());
        }
    }
    file.put_as("targets", targets);
    is_changed
}

/// Replaces `{{ env.NAME }}` by `${{ NAME }}`.
fn fill_references(value: &mut Placed) -> bool {
    match &mut value.value {
        PlacedValue::Text(text) => match with_own_references(text) {
            Some(new) => {
                *text = new;
                true
            }
            None => false,
        },
        PlacedValue::List(items) => {
            let changed = items.iter_mut().map(fill_references);
            changed.fold(false, |all, it| all | it)
        }
        PlacedValue::Map(fields) => {
            let values = fields.iter_mut().map(|field| &mut field.value);
            values.map(fill_references).fold(false, |all, it| all | it)
        }
        PlacedValue::Null | PlacedValue::Bool(_) | PlacedValue::Number(_) => false,
    }
}

fn with_own_references(text: &str) -> Option<String> {
    let mut out = String::new();
    let mut rest = text;
    let mut is_changed = false;
    while let Some(start) = rest.find("{{") {
        let inside = &rest[start + 2..];
        let Some(end) = inside.find("}}") else { break };
        let name = inside[..end].trim().strip_prefix("env.").map(str::trim);
        out.push_str(&rest[..start]);
        match name {
            Some(name) if !rest[..start].ends_with('$') => {
                is_changed = true;
                out.push_str(&format!("${{{{ {name} }}}}"));
            }
            _ => out.push_str(&rest[start..start + 2 + end + 2]),
        }
        rest = &inside[end + 2..];
    }
    out.push_str(rest);
    is_changed.then_some(out)
}

/// Other names of kinds, and ours.
const KINDS: [(&str, &str); 10] = [
    ("claude", "claude-code"),
    ("claude-cli", "claude-code"),
    ("claude-sdk", "claude-code"),
    ("codex-cli", "codex"),
    ("codex-sdk", "codex"),
    ("copilot-cli", "copilot"),
    ("copilot-sdk", "copilot"),
    ("pi-cli", "pi"),
    ("pi-coding-agent", "pi"),
    ("pi-sdk", "pi"),
];

fn translate_target(target: &mut Placed, grader: Option<&PlacedField>) -> bool {
    if target.kind() != NodeKind::Object {
        return false;
    }
    let mut is_changed = name_target(target);
    if target.given("use_target").is_some() && target.given("provider").is_none() {
        let place = target.span.start..target.span.start;
        target.put("provider", place.clone(), Placed::text(place, "alias"));
        is_changed = true;
    }
    if let Some(mut config) = target.take("config") {
        is_changed = true;
        if let PlacedValue::Map(fields) = &mut config.value.value {
            for field in fields.drain(..) {
                let name = field.name.clone();
                target.put_as(name, field);
            }
        }
    }
    is_changed |= rename_kind(target) | rename_command(target);
    let has_judge = ["judge_target", "grader_target", "judgeTarget"]
        .into_iter()
        .any(|name| target.given(name).is_some());
    let is_judge =
        grader.is_some_and(|it| it.value.as_str() == target.given("name").and_then(Placed::as_str));
    if let Some(grader) = grader.filter(|_| !has_judge && !is_judge) {
        target.put_as("judge_target", grader.clone());
        is_changed = true;
    }
    is_changed
}

/// Makes `id` the provider and `label` the name.
pub(super) fn name_target(target: &mut Placed) -> bool {
    let is_named = target.given("name").is_some();
    let label = if is_named { None } else { target.take("label") };
    let has_label = label.is_some();
    let id = match target.given("provider") {
        None => target.take("id"),
        Some(_) => None,
    };
    let Some(id) = id else {
        if let Some(label) = label {
            target.put_as("name", label);
        }
        return has_label;
    };
    if target.given("name").is_none() {
        let name = label.unwrap_or_else(|| id.clone());
        target.put_as("name", name);
    }
    let written = id.value.as_str().map(str::to_owned).unwrap_or_default();
    match written.split_once(':') {
        Some((vendor, model)) if kinds::named(vendor).is_some() => {
            let place = id.value.span.clone();
            // The vendors of promptfoo also name the API: `openai:chat:MODEL`.
            let model = ["chat:", "messages:", "responses:"]
                .into_iter()
                .find_map(|api| model.strip_prefix(api))
                .unwrap_or(model);
            target.put(
                "provider",
                id.span.clone(),
                Placed::text(place.clone(), vendor),
            );
            if target.given("model").is_none() {
                target.put("model", id.span, Placed::text(place, model));
            }
        }
        _ => target.put_as("provider", id),
    }
    true
}

pub(super) fn rename_kind(target: &mut Placed) -> bool {
    let Some(mut provider) = target.take("provider") else {
        return false;
    };
    let name = provider.value.as_str();
    let known = KINDS.iter().find(|(theirs, _)| name == Some(*theirs));
    let ours = known
        .filter(|(theirs, ours)| kinds::named(theirs).is_none() && kinds::named(ours).is_some());
    let is_changed = ours.is_some();
    if let Some((_, ours)) = ours {
        provider.value = Placed::text(provider.value.span.clone(), *ours);
    }
    target.put_as("provider", provider);
    is_changed
}

/// Makes a command that is a text one for the shell.
fn rename_command(target: &mut Placed) -> bool {
    let kind = target.given("provider").and_then(Placed::as_str);
    let kind = kind.and_then(kinds::named);
    if kind.is_none_or(|kind| kind.kind.options.field("command_template").is_none()) {
        return false;
    }
    let mut is_changed = as_template(target);
    if let Some(mut healthcheck) = target.take("healthcheck") {
        if as_template(&mut healthcheck.value) {
            is_changed = true;
        }
        if healthcheck.value.given("type").is_none() && healthcheck.value.kind() == NodeKind::Object
        {
            let kind = if healthcheck.value.given("url").is_some() {
                "http"
            } else {
                "command"
            };
            let place = healthcheck.span.clone();
            healthcheck
                .value
                .put("type", place.clone(), Placed::text(place, kind));
            is_changed = true;
        }
        target.put_as("healthcheck", healthcheck);
    }
    is_changed
}

fn as_template(target: &mut Placed) -> bool {
    if target.given("command").and_then(Placed::as_str).is_none() {
        return false;
    }
    match target.take("command") {
        Some(command) => {
            target.put_as("command_template", command);
            true
        }
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_words_of_other_dialects_become_ours() {
        let source = "\
defaults: {grader: judge}
providers:
  - {id: openai, label: judge, model: '{{ env.MODEL }}'}
  - {id: 'openai:chat:gpt-5', config: {temperature: 0}}
  - {name: default, use_target: '${{ T }}'}
  - {name: local, provider: cli, command: 'agent {PROMPT}', healthcheck: {command: agent --version}}
";
        let tree = parse(source).unwrap();
        assert_eq!(
            tree.root().to_value(),
            json!({"targets": [
                {"name": "judge", "provider": "openai", "model": "${{ MODEL }}"},
                {"name": "openai:chat:gpt-5", "provider": "openai", "model": "gpt-5", "temperature": 0, "judge_target": "judge"},
                {"name": "default", "provider": "alias", "use_target": "${{ T }}", "judge_target": "judge"},
                {"name": "local", "provider": "cli", "command_template": "agent {PROMPT}", "judge_target": "judge",
                 "healthcheck": {"type": "command", "command_template": "agent --version"}},
            ]})
        );
    }

    #[test]
    fn a_file_of_ours_stays_as_it_is() {
        let source = "targets: [{name: a, provider: mock, response: '{{ x }} {{ $env }}'}]";
        assert!(!translate(&mut Placed::from(parse(source).unwrap().root())));
    }
}
