//! A lenient parser for the almost-JSON that models write.

use serde_json::{Map, Number, Value};

/// The maximum nesting of a judge's answer.
const DEEPEST: usize = 64;

/// A parser of the value at the start of a text. It accepts trailing commas, single and typographic
/// quotes, unquoted keys, quotes within strings, raw line breaks, and Python's literals.
pub(super) struct Lenient<'t> {
    text: &'t str,
    at: usize,
    /// The number of characters that may still be read, which bounds the cost of a hostile text.
    fuel: &'t mut u64,
}

impl<'t> Lenient<'t> {
    pub(super) fn new(text: &'t str, fuel: &'t mut u64) -> Lenient<'t> {
        Lenient { text, at: 0, fuel }
    }

    /// Reads the object at the start of the text. Returns it with its length in bytes.
    pub(super) fn object(mut self) -> Option<(Value, usize)> {
        let value = self.object_at(0)?;
        Some((value, self.at))
    }

    fn peek(&mut self) -> Option<char> {
        *self.fuel = self.fuel.checked_sub(1)?;
        self.text[self.at..].chars().next()
    }

    fn take(&mut self) -> Option<char> {
        let letter = self.peek()?;
        self.at += letter.len_utf8();
        Some(letter)
    }

    fn skip(&mut self, is_skipped: impl Fn(char) -> bool) {
        while self.peek().is_some_and(&is_skipped) {
            self.take();
        }
    }

    fn skip_space(&mut self) {
        self.skip(char::is_whitespace);
    }

    fn value(&mut self, depth: usize) -> Option<Value> {
        if depth > DEEPEST {
            return None;
        }
        self.skip_space();
        match self.peek()? {
            '{' => self.object_at(depth),
            '[' => self.array(depth),
            letter if Quotes::opened_by(letter).is_some() => self.string(',').map(Value::String),
            _ => self.word(),
        }
    }

    fn object_at(&mut self, depth: usize) -> Option<Value> {
        (self.take()? == '{').then_some(())?;
        let mut fields = Map::new();
        loop {
            self.skip(|letter| letter.is_whitespace() || letter == ',');
            if self.peek()? == '}' {
                self.take();
                return Some(Value::Object(fields));
            }
            let key = self.key()?;
            self.skip_space();
            (self.take()? == ':').then_some(())?;
            let value = self.value(depth + 1)?;
            // A repeated key is ambiguous.
            fields.insert(key, value).is_none().then_some(())?;
            self.skip_space();
            matches!(self.peek()?, ',' | '}').then_some(())?;
        }
    }

    fn array(&mut self, depth: usize) -> Option<Value> {
        self.take()?;
        let mut items = Vec::new();
        loop {
            self.skip(|letter| letter.is_whitespace() || letter == ',');
            if self.peek()? == ']' {
                self.take();
                return Some(Value::Array(items));
            }
            items.push(self.value(depth + 1)?);
            self.skip_space();
            matches!(self.peek()?, ',' | ']').then_some(())?;
        }
    }

    fn key(&mut self) -> Option<String> {
        if Quotes::opened_by(self.peek()?).is_some() {
            return self.string(':');
        }
        let start = self.at;
        self.skip(|letter| letter.is_alphanumeric() || matches!(letter, '_' | '-'));
        (self.at > start).then(|| self.text[start..self.at].to_owned())
    }

    /// Reads a quoted string. A quote ends it only before `separator`, a closing bracket, or the
    /// end of the text.
    fn string(&mut self, separator: char) -> Option<String> {
        let quotes = Quotes::opened_by(self.take()?)?;
        let mut string = String::new();
        loop {
            match self.take()? {
                '\\' => string.push(self.escaped()?),
                letter if quotes.are_closed_by(letter) && self.may_end(separator) => {
                    return Some(string);
                }
                letter => string.push(letter),
            }
        }
    }

    fn may_end(&mut self, separator: char) -> bool {
        let rest = self.text[self.at..].trim_start();
        let next = rest.chars().next();
        next.is_none_or(|next| next == separator || (separator == ',' && matches!(next, '}' | ']')))
    }

    fn escaped(&mut self) -> Option<char> {
        Some(match self.take()? {
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            'b' => '\u{8}',
            'f' => '\u{c}',
            'u' => self.code_point()?,
            other => other,
        })
    }

    fn code_point(&mut self) -> Option<char> {
        let first = self.hexadecimal()?;
        let is_pair = (0xD800..0xDC00).contains(&first);
        if is_pair && self.text[self.at..].starts_with("\\u") {
            self.at += 2;
            let second = self.hexadecimal()?.checked_sub(0xDC00)?;
            return char::from_u32(0x10000 + ((first - 0xD800) << 10) + second);
        }
        Some(char::from_u32(first).unwrap_or(char::REPLACEMENT_CHARACTER))
    }

    fn hexadecimal(&mut self) -> Option<u32> {
        let digits = self.text.get(self.at..self.at + 4)?;
        self.at += 4;
        u32::from_str_radix(digits, 16).ok()
    }

    /// Reads a number or a literal.
    fn word(&mut self) -> Option<Value> {
        let start = self.at;
        self.skip(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '+' | '-' | '.'));
        match &self.text[start..self.at] {
            "true" | "True" | "TRUE" => Some(Value::Bool(true)),
            "false" | "False" | "FALSE" => Some(Value::Bool(false)),
            "null" | "None" | "NULL" => Some(Value::Null),
            number if number.starts_with(|first: char| first.is_ascii_alphabetic()) => None,
            number => number
                .parse()
                .ok()
                .or_else(|| Number::from_f64(number.parse().ok()?))
                .map(Value::Number),
        }
    }
}

/// The two families of quotes. Models mix the quotes of one family.
#[derive(Clone, Copy, PartialEq)]
enum Quotes {
    Double,
    Single,
}

impl Quotes {
    fn opened_by(letter: char) -> Option<Quotes> {
        match letter {
            '"' | '“' | '”' | '„' | '‟' | '″' | '«' | '»' => Some(Quotes::Double),
            '\'' | '‘' | '’' | '‚' | '′' | '`' => Some(Quotes::Single),
            _ => None,
        }
    }

    fn are_closed_by(self, letter: char) -> bool {
        Quotes::opened_by(letter) == Some(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(text: &str) -> Option<Value> {
        let mut fuel = 100_000;
        Some(Lenient::new(text, &mut fuel).object()?.0)
    }

    #[test]
    fn what_models_get_wrong_is_forgiven() {
        for (text, expected) in [
            ("{'score': 1,}", json!({"score": 1})),
            (
                "{score: .5, ok: True, no: None}",
                json!({"score": 0.5, "ok": true, "no": null}),
            ),
            (
                "{“score”: 1, “reasoning”: “it’s fine”}",
                json!({"score": 1, "reasoning": "it’s fine"}),
            ),
            ("{'a': 'it's fine'}", json!({"a": "it's fine"})),
            (
                "{\"a\": \"says \"hi\" to all\"}",
                json!({"a": "says \"hi\" to all"}),
            ),
            ("{\"a\": \"two\nlines\"}", json!({"a": "two\nlines"})),
            (r#"{"a": "\u00e4\ud83d\ude00\n",}"#, json!({"a": "ä😀\n"})),
            ("{\"a\": [1, 2,], }", json!({"a": [1, 2]})),
        ] {
            assert_eq!(read(text), Some(expected), "{text}");
        }
    }

    #[test]
    fn what_could_mean_two_things_is_not_guessed() {
        for text in [
            "{\"score\": 1, \"score\": 0}",
            "{score}",
            "{\"score\": high}",
            "{\"score\": 1 \"hits\": []}",
            "{\"score\": 1",
            "{\"a\": \"",
            "{",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn a_hostile_text_ends_when_the_fuel_does() {
        let mut fuel = 1_000;
        let deep = "{\"a\":".repeat(1_000_000);
        assert_eq!(Lenient::new(&deep, &mut fuel).object(), None);
        let mut fuel = 1_000;
        let long = format!("{{“{}", "x".repeat(1_000_000));
        assert_eq!(Lenient::new(&long, &mut fuel).object(), None);
        assert_eq!(fuel, 0);
    }
}
