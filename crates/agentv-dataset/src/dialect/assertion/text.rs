//! Assertions about the text of an answer.

use agentv_syntax::{Code, NodeKind, Placed, PlacedValue, Problem};

use super::assertions::{Assertions, flag};

/// Puts the value of a check. It is a plain text, and never a template.
pub(super) fn plain(
    _: &mut Assertions<'_, '_>,
    item: &mut Placed,
    ours: &mut Placed,
) -> Option<()> {
    put_plain(item, ours, "value");
    Some(())
}

/// Puts the values of a check. They are plain texts, and never templates.
pub(super) fn plain_list(
    _: &mut Assertions<'_, '_>,
    item: &mut Placed,
    ours: &mut Placed,
) -> Option<()> {
    put_plain(item, ours, "values");
    Some(())
}

/// Moves `value` to an option of ours, so that no `{{` in it is read as a template.
pub(super) fn put_plain(item: &mut Placed, ours: &mut Placed, option: &str) {
    if let Some(mut field) = item.take("value") {
        escape(&mut field.value);
        ours.put_as(option, field);
    }
}

fn escape(value: &mut Placed) {
    match &mut value.value {
        PlacedValue::Text(text) if text.contains("{{") => {
            *text = text.replace("{{", "{{ '{{' }}");
        }
        PlacedValue::List(items) => items.iter_mut().for_each(escape),
        _ => {}
    }
}

/// Turns the flags of an expression into options, or into a group of the expression itself.
pub(super) fn regex(
    of: &mut Assertions<'_, '_>,
    item: &mut Placed,
    ours: &mut Placed,
) -> Option<()> {
    let flags = item.take("flags");
    let letters = flags.as_ref().and_then(|flags| flags.value.as_str());
    let mut inline = String::new();
    for letter in letters.unwrap_or_default().chars() {
        match letter {
            'i' => ours.put(
                "ignore_case",
                ours.span.clone(),
                flag(ours.span.clone(), true),
            ),
            'm' | 's' => inline.push(letter),
            // They concern repeated matches and encodings, not whether there is a match.
            'g' | 'u' | 'y' | 'd' | 'v' => {}
            other => {
                let span = flags
                    .as_ref()
                    .map_or(0..0, |flags| flags.value.span.clone());
                let message = format!("unknown flag `{other}` of a regular expression");
                of.notes
                    .0
                    .push(Problem::error(Code::InvalidExpression, span, message));
            }
        }
    }
    if let Some(mut field) = item.take("value") {
        if let PlacedValue::Text(text) = &mut field.value.value
            && !inline.is_empty()
        {
            *text = format!("(?{inline}){text}");
        }
        escape(&mut field.value);
        ours.put_as("value", field);
    }
    Some(())
}

/// Makes a check with a schema one of the schema.
pub(super) fn is_json(
    _: &mut Assertions<'_, '_>,
    item: &mut Placed,
    ours: &mut Placed,
) -> Option<()> {
    let Some(schema) = item.take("value") else {
        return Some(());
    };
    if let Some(tag) = ours.take("type") {
        let span = tag.value.span.clone();
        ours.put("type", tag.span, Placed::text(span, "json_schema"));
    }
    ours.put_as("schema", schema);
    Some(())
}

/// Makes a number, or the bounds of one, those of the words.
pub(super) fn word_count(
    of: &mut Assertions<'_, '_>,
    item: &mut Placed,
    ours: &mut Placed,
) -> Option<()> {
    let Some(mut field) = item.take("value") else {
        return Some(());
    };
    match field.value.kind() {
        NodeKind::Object => {
            for name in ["min", "max"] {
                if let Some(bound) = field.value.take(name) {
                    ours.put_as(name, bound);
                }
            }
        }
        NodeKind::Number => {
            ours.put_as("min", field.clone());
            ours.put_as("max", field);
        }
        _ => of.notes.wrong_type(
            &field.value,
            "a number of words, or an object with `min` and `max`",
        ),
    }
    Some(())
}
