//! Templates of JSON: a value within a string of the JSON is escaped.

/// The filter that escapes a value for a string of JSON.
pub(super) const FILTER: &str = "in_json_string";

/// Filters with which users already write JSON or escape it.
const ESCAPING: &[&str] = &["tojson", "replace", "escape", "urlencode"];

/// Returns the template with every expression inside a string of JSON escaped, except those that the
/// user escapes already.
pub(super) fn escaping(template: &str) -> String {
    let mut escaping = String::with_capacity(template.len() + 64);
    let mut in_string = false;
    let mut rest = template;
    while let Some(letter) = rest.chars().next() {
        let tag = Tag::ALL.iter().find(|tag| rest.starts_with(tag.opening));
        let length = match tag {
            Some(tag) => tag.length(rest),
            None if letter == '\\' => 1 + rest[1..].chars().next().map_or(0, char::len_utf8),
            None => letter.len_utf8(),
        };
        let (piece, behind) = rest.split_at(length);
        let expression = tag.and_then(|tag| tag.expression(piece));
        match expression.filter(|expression| in_string && !is_escaped(expression)) {
            Some(expression) => escaping.push_str(&format!("{{{{ ({expression}) | {FILTER} }}}}")),
            None => escaping.push_str(piece),
        }
        if piece == "\"" {
            in_string = !in_string;
        }
        rest = behind;
    }
    escaping
}

/// Returns a value as it is written between the quotes of a string of JSON.
pub(super) fn in_json_string(value: &minijinja::Value) -> String {
    let quoted = serde_json::Value::from(value.to_string()).to_string();
    quoted[1..quoted.len() - 1].to_owned()
}

fn is_escaped(expression: &str) -> bool {
    let mut filters = expression.split('|').skip(1);
    filters.any(|filter| {
        ESCAPING
            .iter()
            .any(|name| filter.trim_start().starts_with(name))
    })
}

/// A part of a template between marks.
struct Tag {
    opening: &'static str,
    closing: &'static str,
}

impl Tag {
    const ALL: [Tag; 3] = [
        Tag::new("{{", "}}"),
        Tag::new("{%", "%}"),
        Tag::new("{#", "#}"),
    ];

    const fn new(opening: &'static str, closing: &'static str) -> Tag {
        Tag { opening, closing }
    }

    fn length(&self, rest: &str) -> usize {
        let end = rest.find(self.closing);
        end.map_or(rest.len(), |end| end + self.closing.len())
    }

    /// Returns the expression between `{{` and `}}`, without the marks that trim space.
    fn expression<'p>(&self, piece: &'p str) -> Option<&'p str> {
        let inner = piece.strip_prefix("{{")?.strip_suffix("}}")?;
        Some(inner.trim_matches(['-', '+']).trim())
    }
}
