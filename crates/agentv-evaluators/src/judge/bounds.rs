//! What a template may use, so that filling it takes no more memory than its parts have.
//!
//! A prompt comes with a case, and a case may come from anywhere. Steps are counted elsewhere; here is
//! kept out what makes much of little: texts that are put together again and again, or repeated.

use std::io;

use minijinja::machinery::{Token, tokenize};
use minijinja::syntax::SyntaxConfig;
use minijinja::value::ValueKind;
use minijinja::{Environment, Error, ErrorKind, Value};

/// The most that a filter, or the whole prompt, may make, in bytes.
pub(super) const LARGEST: usize = 64 << 20;
/// How many texts may be joined by `~` or `+`: each may double what there is.
const MOST_JOINED: usize = 4;

/// Statements that keep no text for later.
const STATEMENTS: &[&str] = &[
    "if", "elif", "else", "endif", "for", "endfor", "set", "with", "endwith", "raw", "endraw",
];
/// Filters and functions that make much of little, or fail where they should refuse.
const UNBOUNDED: &[&str] = &[
    "batch", "chain", "format", "indent", "map", "pprint", "slice", "string", "zip",
];
const UNBOUNDED_FUNCTIONS: &[&str] = &["namespace", "dict", "debug"];

/// Leaves out of an environment what has no bounds, and bounds the rest.
pub(super) fn restrain(environment: &mut Environment<'_>) {
    UNBOUNDED
        .iter()
        .for_each(|name| environment.remove_filter(name));
    let functions = UNBOUNDED_FUNCTIONS.iter();
    functions.for_each(|name| environment.remove_global(name));
    environment.add_filter("replace", replace);
    environment.add_filter("join", join);
    environment.add_filter("tojson", to_json);
}

/// Refuses a template with what could make much of little.
///
/// # Errors
/// What it is, and the line it is on.
pub(super) fn check(source: &str) -> Result<(), String> {
    let tokens: Vec<(Token<'_>, usize)> = tokenize(source, false, SyntaxConfig::default())
        .map_while(|token| token.ok())
        .map(|(token, span)| (token, span.start_line as usize))
        .collect();
    let mut joined = 0;
    let mut is_assigning = false;
    for (index, (token, line)) in tokens.iter().enumerate() {
        let before = index.checked_sub(1).map(|index| &tokens[index].0);
        let after = tokens.get(index + 1).map(|(token, _)| token);
        let refuse = |what: &str| Err(format!("line {line}: a prompt takes no {what}"));
        match token {
            Token::Mul | Token::Pow => return refuse("`*` and `**`"),
            Token::BraceOpen => return refuse("objects of its own (`{…}`)"),
            Token::BracketOpen if !is_value(before) => return refuse("lists of its own (`[…]`)"),
            Token::Plus if is_number(before) || is_number(after) => {}
            Token::Tilde | Token::Plus => {
                joined += 1;
                if joined > MOST_JOINED {
                    return refuse("more than 4 texts joined by `~` or `+`");
                }
            }
            Token::ParenOpen if !is_value(before) && has_comma(&tokens[index + 1..]) => {
                return refuse("lists of its own (`(…, …)`)");
            }
            Token::BlockStart => {
                let Some(Token::Ident(statement)) = after else {
                    continue;
                };
                if !STATEMENTS.contains(statement) {
                    return refuse(&format!("`{{% {statement} %}}`"));
                }
                is_assigning = *statement == "set";
            }
            Token::Assign => is_assigning = false,
            Token::BlockEnd if is_assigning => return refuse("`{% set … %}` without a value"),
            Token::Ident("recursive") => return refuse("loop that calls itself"),
            _ => {}
        }
    }
    Ok(())
}

/// Whether a token ends a value, so that a bracket after it belongs to it.
fn is_value(token: Option<&Token<'_>>) -> bool {
    const WORDS: &[&str] = &["in", "if", "else", "and", "or", "not", "is", "elif", "with"];
    match token {
        Some(Token::Ident(name)) => !WORDS.contains(name),
        Some(Token::BracketClose | Token::ParenClose | Token::Str(_) | Token::String(_)) => true,
        _ => false,
    }
}

fn is_number(token: Option<&Token<'_>>) -> bool {
    matches!(
        token,
        Some(Token::Int(_) | Token::Int128(_) | Token::Float(_))
    )
}

/// Whether there is a comma before a parenthesis closes.
fn has_comma(tokens: &[(Token<'_>, usize)]) -> bool {
    let mut depth = 0;
    for (token, _) in tokens {
        match token {
            Token::Comma if depth == 0 => return true,
            Token::ParenClose if depth == 0 => return false,
            Token::ParenOpen => depth += 1,
            Token::ParenClose => depth -= 1,
            _ => {}
        }
    }
    false
}

/// A text that is being filled in, as large as a prompt may be.
#[derive(Default)]
pub(super) struct Bounded(Vec<u8>);

impl Bounded {
    pub(super) fn text(self) -> Result<String, String> {
        String::from_utf8(self.0).map_err(|error| error.to_string())
    }
}

impl io::Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0.len() + bytes.len() > LARGEST {
            return Err(io::Error::other(TOO_LARGE));
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

const TOO_LARGE: &str = "the prompt would have more than 64 MiB";

fn too_large() -> Error {
    Error::new(ErrorKind::InvalidOperation, TOO_LARGE)
}

/// Without the indentation that the filter of this name takes elsewhere.
fn to_json(value: Value) -> Result<String, Error> {
    let json = serde_json::to_string(&value);
    json.map_err(|error| Error::new(ErrorKind::BadSerialization, error.to_string()))
}

fn replace(text: &str, from: &str, to: &str) -> Result<String, Error> {
    let places = text.matches(from).count();
    let added = places.checked_mul(to.len());
    match added.and_then(|added| added.checked_add(text.len())) {
        Some(length) if length <= LARGEST => Ok(text.replace(from, to)),
        _ => Err(too_large()),
    }
}

fn join(values: Value, between: Option<&str>) -> Result<String, Error> {
    let between = between.unwrap_or_default();
    let mut joined = String::new();
    for (index, value) in values.try_iter()?.enumerate() {
        if matches!(value.kind(), ValueKind::Seq | ValueKind::Map) {
            let message = "only texts and numbers can be joined";
            return Err(Error::new(ErrorKind::InvalidOperation, message));
        }
        if index > 0 {
            joined.push_str(between);
        }
        joined.push_str(&value.to_string());
        if joined.len() > LARGEST {
            return Err(too_large());
        }
    }
    Ok(joined)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(source: &str) -> Result<String, String> {
        let mut environment = Environment::new();
        environment.set_fuel(Some(1_000_000));
        restrain(&mut environment);
        let text = |error: Error| error.to_string();
        let template = environment.template_from_str(source).map_err(text)?;
        check(source)?;
        let context = minijinja::context! { answer => "a,b\nc".repeat(20_000), n => 3 };
        let mut prompt = Bounded::default();
        let filled = template.render_captured_to(context, &mut prompt);
        filled.map_err(|error| format!("{error:#}"))?;
        prompt.text()
    }

    #[test]
    fn no_template_makes_much_of_little() {
        let doubled = "{% set a = a ~ a %}".repeat(30);
        for source in [
            &format!("{{% set a = answer %}}{doubled}{{{{ a }}}}"),
            &doubled.replace('~', "+"),
            "{{ 'a' * 100000000 }}",
            "{{ 9 ** 9 ** 9 }}",
            "{% set l = [answer, answer] %}",
            "{% for a in [answer] %}{% endfor %}",
            "{% set l = (answer, answer) %}",
            "{% set l = {'a': answer} %}",
            "{% set a %}{{ answer }}{{ answer }}{% endset %}",
            "{% filter upper %}{{ answer }}{% endfilter %}",
            "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
            "{% set ns = namespace(a=answer) %}",
            "{{ '%9999999999d'|format(1) }}",
            "{{ answer|indent(4000000000) }}",
            "{{ answer|batch(4000000000, answer) }}",
            "{{ answer|replace('a', answer) }}",
            "{{ answer|join(answer) }}",
            "{{ answer|lines|tojson(indent=4000000) }}",
            "{% for i in range(99999) %}{{ answer }}{% endfor %}",
        ] {
            assert!(filled(source).is_err(), "{source}");
        }
    }

    #[test]
    fn what_prompts_need_is_taken() {
        for (source, expected) in [
            ("{{ 'Q: ' ~ n }}", "Q: 3"),
            ("{{ n + 1 }} {{ n - 1 }}", "4 2"),
            (
                "{% for i in range(3) %}{{ loop.index0 + 1 }}{% endfor %}",
                "123",
            ),
            (
                "{% if n > 2 and n in range(9) %}x{% else %}y{% endif %}",
                "x",
            ),
            ("{% set a = answer|lines %}{{ a[0] }}", "a,b"),
            ("{{ answer|lines|first|replace(',', ';') }}", "a;b"),
            ("{{ answer|lines|first|split(',')|join('+') }}", "a+b"),
            ("{{ 'a\"b'|tojson }}", "\"a\\\"b\""),
            ("{{ answer[:3]|upper|trim|default('x', true) }}", "A,B"),
            ("{# * #}{% raw %}{{ a * b }}{% endraw %} *", "{{ a * b }} *"),
        ] {
            assert_eq!(filled(source), Ok(expected.to_owned()), "{source}");
        }
    }
}
