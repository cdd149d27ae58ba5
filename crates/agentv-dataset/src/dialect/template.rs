//! Variables in the texts of a suite: `${{ NAME }}` and `{{ name }}`.

use std::ops::Range;

use agentv_syntax::{Code, Missing, Placed, PlacedValue, Problem, Template};

use super::notes::Notes;

/// Replaces `${{ NAME }}` and `{{ env.NAME }}` by environment variables everywhere. One that is not set is
/// its `default('…')`, or empty with a warning.
pub(super) fn with_environment(
    mut value: Placed,
    variables: &dyn Fn(&str) -> Option<String>,
    notes: &mut Notes,
) -> Placed {
    keep_references(&mut value, false);
    let mut unset = Vec::new();
    let mut value_of = |span: &Range<usize>, name: &str, default: Option<&str>| {
        let known = variables(name).or_else(|| default.map(str::to_owned));
        if known.is_none() {
            unset.push((span.clone(), name.to_owned()));
        }
        coerced(&known.unwrap_or_default())
    };
    let mut kept = Vec::new();
    take_settings(&mut value, false, &mut kept);
    each_text(&mut value, &mut |span, text| {
        replaced(text, "${{", |name| {
            is_plain_name(name).then(|| value_of(span, name, None))
        })
    });
    each_text(&mut value, &mut |span, text| {
        replaced(text, "{{", |inside| {
            let (name, default) = of_environment(inside)?;
            Some(value_of(span, name, default))
        })
    });
    kept.reverse();
    put_settings(&mut value, false, &mut kept);
    notes.0.extend(unset.into_iter().map(|(span, name)| {
        let message = format!("`{name}` is not set: it is replaced by nothing");
        let problem = Problem::warning(Code::UnsetVariable, span, message);
        problem.hint(format!("set `{name}` in the environment or in `.env`"))
    }));
    value
}

/// The fields that hold definitions of targets.
const PROVIDERS: [&str; 3] = ["providers", "targets", "provider"];

/// Makes `{{ env.NAME }}` in the settings of a provider `${{ NAME }}`, which is filled in where the target is
/// used: its value may be a secret, and must not become part of the suite.
fn keep_references(value: &mut Placed, is_provider: bool) {
    each_setting(value, is_provider, &mut |settings| {
        each_text(settings, &mut |_, text| {
            let new = replaced(text, "{{", |inside| {
                let (name, _) = of_environment(inside)?;
                Some(PlacedValue::Text(format!("${{{{ {name} }}}}")))
            })?;
            Some(PlacedValue::Text(as_text(&new)))
        });
    });
}

fn take_settings(value: &mut Placed, is_provider: bool, kept: &mut Vec<PlacedValue>) {
    each_setting(value, is_provider, &mut |settings| {
        kept.push(std::mem::replace(&mut settings.value, PlacedValue::Null));
    });
}

fn put_settings(value: &mut Placed, is_provider: bool, kept: &mut Vec<PlacedValue>) {
    each_setting(value, is_provider, &mut |settings| {
        if let Some(value) = kept.pop() {
            settings.value = value;
        }
    });
}

/// Visits the `config` of every provider.
fn each_setting(value: &mut Placed, is_provider: bool, visit: &mut dyn FnMut(&mut Placed)) {
    match &mut value.value {
        PlacedValue::List(items) => {
            for item in items {
                each_setting(item, is_provider, visit);
            }
        }
        PlacedValue::Map(fields) => {
            for field in fields {
                if is_provider && field.name == "config" {
                    visit(&mut field.value);
                } else {
                    let is_provider = is_provider || PROVIDERS.contains(&field.name.as_str());
                    each_setting(&mut field.value, is_provider, visit);
                }
            }
        }
        _ => {}
    }
}

/// Returns the name and the default of `env.NAME | default('…')`.
fn of_environment(inside: &str) -> Option<(&str, Option<&str>)> {
    let inside = inside.strip_prefix("env.")?;
    let (name, filter) = match inside.split_once('|') {
        Some((name, filter)) => (name.trim(), Some(filter.trim())),
        None => (inside.trim(), None),
    };
    let default = match filter {
        None => None,
        Some(filter) => {
            let quoted = filter.strip_prefix("default(")?.strip_suffix(')')?.trim();
            let mark = quoted.chars().next().filter(|mark| "'\"".contains(*mark))?;
            Some(quoted.strip_prefix(mark)?.strip_suffix(mark)?)
        }
    };
    is_plain_name(name).then_some((name, default))
}

/// Returns the value of a variable: a number or boolean if it reads like one, else a text.
fn coerced(text: &str) -> PlacedValue {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let is_number = digits.starts_with(|first: char| first.is_ascii_digit())
        && digits.chars().all(|it| it.is_ascii_digit() || it == '.')
        && serde_json::from_str::<serde_json::Number>(text).is_ok();
    match text {
        "true" => PlacedValue::Bool(true),
        "false" => PlacedValue::Bool(false),
        number if is_number => PlacedValue::Number(number.to_owned()),
        text => PlacedValue::Text(text.to_owned()),
    }
}

/// Replaces `{{ name }}` and `{{ a.b }}` by values of `variables`. A text that is nothing but a variable
/// becomes its value, whatever its type. A name without a value stays as it is.
pub(super) fn filled(mut value: Placed, variables: &Placed) -> Placed {
    each_text(&mut value, &mut |_, text| {
        replaced(text, "{{", |name| {
            named(variables, name).filter(|_| is_dotted_name(name))
        })
    });
    value
}

/// Fills in a value as promptfoo does: a variable without a value is empty, and a text is a whole template.
/// Values become part of the text.
pub(super) fn rendered(value: Placed, variables: &Placed, notes: &mut Notes) -> Placed {
    expanded(value, variables, notes, false)
}

/// Fills in assertions as promptfoo does. A text that is nothing but a variable becomes its value, and prompts
/// of judges, which have variables of their own, stay as they are.
pub(super) fn filled_with_templates(
    mut list: Placed,
    variables: &Placed,
    notes: &mut Notes,
) -> Placed {
    let PlacedValue::List(items) = &mut list.value else {
        return list;
    };
    for item in items {
        let prompt = item.take("rubricPrompt");
        let empty = Placed::map(item.span.clone());
        *item = expanded(std::mem::replace(item, empty), variables, notes, true);
        if let Some(prompt) = prompt {
            item.put_as("rubricPrompt", prompt);
        }
    }
    list
}

fn expanded(mut value: Placed, variables: &Placed, notes: &mut Notes, keeps_types: bool) -> Placed {
    let mut context = None;
    let mut problems = Vec::new();
    each_text(&mut value, &mut |span, text| {
        let has_tags = text.contains("{%") || text.contains("{#");
        if !has_tags && !text.contains("{{") {
            return None;
        }
        if !has_tags && has_names_only(text) {
            let nothing = || PlacedValue::Text(String::new());
            let value_of = |name: &str| Some(named(variables, name).unwrap_or_else(nothing));
            let new = replaced(text, "{{", value_of)?;
            return Some(match new {
                new if keeps_types => new,
                new => PlacedValue::Text(as_text(&new)),
            });
        }
        let context = context.get_or_insert_with(|| variables.to_value());
        let parsed = Template::parse(text, Missing::Empty);
        match parsed.and_then(|parsed| parsed.fill(context.clone())) {
            Ok(new) => Some(PlacedValue::Text(new)),
            Err(error) => {
                let message = format!("cannot fill in the template: {}", error.reason);
                let problem = Problem::error(Code::InvalidTemplate, span.clone(), message);
                problems.push(problem);
                None
            }
        }
    });
    notes.0.append(&mut problems);
    value
}

/// Returns the value of a variable, or of a part of one.
fn named(variables: &Placed, name: &str) -> Option<PlacedValue> {
    let mut found = Some(variables);
    for part in name.split('.') {
        found = found.and_then(|map| map.given(part));
    }
    found.map(|found| found.value.clone())
}

/// Replaces every text in a value, keys excluded, by what `replace` returns for it.
fn each_text(
    value: &mut Placed,
    replace: &mut dyn FnMut(&Range<usize>, &str) -> Option<PlacedValue>,
) {
    match &mut value.value {
        PlacedValue::Text(text) => {
            if let Some(new) = replace(&value.span, text) {
                value.value = new;
            }
        }
        PlacedValue::List(items) => {
            for item in items {
                each_text(item, replace);
            }
        }
        PlacedValue::Map(fields) => {
            for field in fields {
                each_text(&mut field.value, replace);
            }
        }
        PlacedValue::Null | PlacedValue::Bool(_) | PlacedValue::Number(_) => {}
    }
}

/// Returns a text with its variables replaced; `None` if nothing changes.
fn replaced(
    text: &str,
    open: &str,
    mut value_of: impl FnMut(&str) -> Option<PlacedValue>,
) -> Option<PlacedValue> {
    let mut out = String::new();
    let mut rest = text;
    let mut is_changed = false;
    while let Some(start) = rest.find(open) {
        let inside = &rest[start + open.len()..];
        let Some(end) = inside.find("}}") else { break };
        let after = &inside[end + 2..];
        let value = value_of(inside[..end].trim());
        let Some(value) = value else {
            let kept = start + open.len();
            out.push_str(&rest[..kept]);
            rest = &rest[kept..];
            continue;
        };
        is_changed = true;
        if start == 0 && after.is_empty() && out.is_empty() {
            return Some(value);
        }
        out.push_str(&rest[..start]);
        out.push_str(&as_text(&value));
        rest = after;
    }
    out.push_str(rest);
    is_changed.then_some(PlacedValue::Text(out))
}

/// Returns a value as part of a text: a string as it is, anything else as JSON.
fn as_text(value: &PlacedValue) -> String {
    match value {
        PlacedValue::Text(text) | PlacedValue::Number(text) => text.clone(),
        other => {
            let value = Placed {
                span: 0..0,
                value: other.clone(),
            };
            value.to_value().to_string()
        }
    }
}

fn is_plain_name(name: &str) -> bool {
    let mut letters = name.chars();
    letters
        .next()
        .is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
        && letters.all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
}

/// Checks if a template has nothing but names in its braces.
pub(super) fn has_names_only(template: &str) -> bool {
    let mut parts = template.split("{{").skip(1);
    parts.all(|part| {
        let inside = part.split_once("}}").map(|(inside, _)| inside.trim());
        inside.is_some_and(is_dotted_name)
    })
}

fn is_dotted_name(name: &str) -> bool {
    name.split('.').all(is_plain_name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn filled_text(text: &str) -> serde_json::Value {
        let variables = json!({"a": "x", "n": 2, "list": [1, "b"], "deep": {"er": true}});
        let variables = Placed::of_value(0..0, &variables);
        filled(Placed::text(0..0, text), &variables).to_value()
    }

    #[test]
    fn a_variable_alone_keeps_its_type() {
        assert_eq!(filled_text("{{ list }}"), json!([1, "b"]));
        assert_eq!(filled_text("{{deep.er}}"), json!(true));
        assert_eq!(filled_text(" {{ n }}"), json!(" 2"));
    }

    #[test]
    fn variables_in_a_text_are_written_out_and_unknown_ones_stay() {
        assert_eq!(filled_text("{{a}}-{{ list }}{{a}}"), json!("x-[1,\"b\"]x"));
        assert_eq!(filled_text("{{ b }} {{ a }}"), json!("{{ b }} x"));
        assert_eq!(
            filled_text("{{ a | upper }} {{"),
            json!("{{ a | upper }} {{")
        );
    }

    #[test]
    fn an_environment_variable_that_is_not_set_is_empty_with_a_warning() {
        let variables = |name: &str| (name == "A").then(|| "x".to_owned());
        let mut notes = Notes::default();
        let text = "${{ A }}${{ B }}{{ A }}{{ env.A }}{{ env.C | default(\"c\") }}{{ env.D }}";
        let text = Placed::text(0..0, text);
        let filled = with_environment(text, &variables, &mut notes);
        assert_eq!(filled.as_str(), Some("x{{ A }}xc"));
        assert_eq!(notes.0.len(), 2);
    }
}
