//! The lines of a `.env` file, read as Node's `dotenv` reads them.

use std::collections::BTreeMap;

/// The variables of a `.env` file, and remarks about its lines.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Dotenv {
    pub(super) variables: BTreeMap<String, String>,
    /// The number of a line, from 1, and the remark.
    pub(super) remarks: Vec<(u64, &'static str)>,
}

impl Dotenv {
    /// Reads a text. A line is `NAME=value`, also with `export` before it or with `: ` in place of `=`.
    /// Values in quotes may have several lines. In double quotes, `\n` and `\r` are line ends. Outside of
    /// quotes, a value ends before `#`. Nothing else has a meaning: `$` and `\` are kept. The last value
    /// of a name counts.
    pub(super) fn read(text: &str) -> Dotenv {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut dotenv = Dotenv::default();
        let mut rest = text;
        while !rest.is_empty() {
            let line = (text.len() - rest.len(), first_line(rest));
            let number = text[..line.0].matches('\n').count() as u64 + 1;
            rest = dotenv.read_entry(rest, line.1, number);
        }
        dotenv
    }

    /// Reads the entry at the start of `rest`, whose first line is `line`. Returns the text after it.
    fn read_entry<'t>(&mut self, rest: &'t str, line: &'t str, number: u64) -> &'t str {
        let after = &rest[line.len()..];
        let after_line = after.strip_prefix('\n').unwrap_or(after);
        let shown = line.trim();
        if shown.is_empty() || shown.starts_with('#') {
            return after_line;
        }
        let Some((name, value_at)) = name_of(line) else {
            self.remarks.push((number, "is not `NAME=value`"));
            return after_line;
        };
        let written = &rest[value_at..];
        let (value, after) = match quoted(written) {
            Some((value, length)) => (value, &written[length..]),
            None => {
                let value = &line[value_at..];
                self.remarks
                    .extend(remark(value).map(|remark| (number, remark)));
                (unquoted(value), after_line)
            }
        };
        if value.contains(char::REPLACEMENT_CHARACTER) {
            self.remarks.push((number, "is not UTF-8"));
        } else {
            self.variables.insert(name.to_owned(), value);
        }
        after
    }
}

fn first_line(text: &str) -> &str {
    text.split('\n').next().unwrap_or_default()
}

/// Returns the name at the start of a line, and the place of the text after `=` or `:`.
fn name_of(line: &str) -> Option<(&str, usize)> {
    let is_part =
        |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '.' | '-');
    let place = |part: &str| line.len() - part.len();
    let start = line.trim_start();
    let exported = start.strip_prefix("export").map(str::trim_start);
    let starts = [
        exported.filter(|rest| place(rest) > place(start) + 6),
        Some(start),
    ];
    starts.into_iter().flatten().find_map(|start| {
        let end = start.find(|letter| !is_part(letter))?;
        let (name, rest) = start.split_at(end);
        let value = match rest.trim_start().strip_prefix('=') {
            Some(value) => value,
            None => rest.strip_prefix(':').filter(|value| {
                let next = value.chars().next();
                next.is_none_or(char::is_whitespace)
            })?,
        };
        (!name.is_empty()).then(|| (name, place(value)))
    })
}

/// Returns the value in quotes at the start of a text, and the length of its lines. Nothing but a comment
/// may follow on the last line.
fn quoted(text: &str) -> Option<(String, usize)> {
    let start = text.len() - text.trim_start_matches([' ', '\t', '\r']).len();
    let quote = text[start..]
        .chars()
        .next()
        .filter(|quote| "'\"`".contains(*quote))?;
    let inside = &text[start + 1..];
    // A quote after a backslash ends the value only if no other one does.
    let mut ends = Vec::new();
    for (at, _) in inside.match_indices(quote) {
        ends.push(at);
        if !inside[..at].ends_with('\\') {
            break;
        }
    }
    ends.into_iter().rev().find_map(|end| {
        let after = first_line(&inside[end + 1..]);
        let comment = after.trim_start();
        if !comment.is_empty() && !comment.starts_with('#') {
            return None;
        }
        let value = &inside[..end];
        let value = match quote {
            '"' => value.replace("\\n", "\n").replace("\\r", "\r"),
            _ => value.to_owned(),
        };
        let length = start + 1 + end + 1 + after.len();
        Some((value, text.len().min(length + 1)))
    })
}

fn unquoted(value: &str) -> String {
    let end = value.find('#').unwrap_or(value.len());
    value[..end].trim().to_owned()
}

/// Returns a remark about a value that may not mean what its author thinks.
fn remark(value: &str) -> Option<&'static str> {
    let (before, _) = value.split_once('#').unwrap_or((value, ""));
    if before.len() < value.len() && !before.ends_with(char::is_whitespace) {
        Some("has a value that ends before `#`; if `#` is part of it, put quotes around it")
    } else if before.trim().starts_with(['\'', '"', '`']) {
        Some("has a quote without a matching one at the end, which is read as part of the value")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each value as `dotenv` 17 for Node reads it.
    #[test]
    fn values_are_those_of_dotenv_for_node() {
        for (line, value) in [
            ("A=two words", "two words"),
            ("A=  two words  ", "two words"),
            ("A = b", "b"),
            ("  export A=b", "b"),
            ("export\tA=b", "b"),
            ("A: b", "b"),
            ("A=", ""),
            ("A= # nothing", ""),
            ("A=b # why", "b"),
            ("A=b#why", "b"),
            ("A='b # c'", "b # c"),
            ("A='b' # why", "b"),
            ("A=\"b\\nc\\rd\\te\"", "b\nc\rd\\te"),
            ("A='b\\nc'", "b\\nc"),
            ("A=b\\nc", "b\\nc"),
            ("A=`b 'c' \"d\"`", "b 'c' \"d\""),
            ("A=\"b \\\"c\\\" d\"", "b \\\"c\\\" d"),
            ("A='b\nc'", "b\nc"),
            ("A=\"b\n\nc\" # why", "b\n\nc"),
            ("A=\"b\" c", "\"b\" c"),
            ("A=b 'c'", "b 'c'"),
            ("A=\"b", "\"b"),
            ("A=$HOME ${HOME} pa$$word", "$HOME ${HOME} pa$$word"),
            ("A={\"b\": 1}", "{\"b\": 1}"),
            ("A=b=c==", "b=c=="),
            ("A=日本 語", "日本 語"),
        ] {
            let dotenv = Dotenv::read(&format!("FIRST=1\n{line}\nLAST=2"));
            let found = dotenv.variables.get("A").map(String::as_str);
            assert_eq!(found, Some(value), "{line}");
            let others = [dotenv.variables.get("FIRST"), dotenv.variables.get("LAST")];
            assert_eq!(
                others.map(|one| one.map(String::as_str)),
                [Some("1"), Some("2")],
                "{line}"
            );
        }
    }

    #[test]
    fn names_may_have_points_and_hyphens_and_begin_like_export() {
        let names = |text: &str| Dotenv::read(text).variables.into_keys().collect::<Vec<_>>();
        assert_eq!(
            names("a.b-c=1\nexported=2\nexport=3\n"),
            ["a.b-c", "export", "exported"]
        );
    }

    #[test]
    fn a_line_that_is_not_an_assignment_is_named_and_skipped() {
        let dotenv = Dotenv::read("A='1\n2'\nno assignment\n=1\nA B=2\nB:2\nC=3\n");
        let lines: Vec<u64> = dotenv.remarks.iter().map(|(line, _)| *line).collect();
        assert_eq!(lines, [3, 4, 5, 6]);
        assert_eq!(dotenv.variables.len(), 2);
    }

    #[test]
    fn values_that_may_be_misread_get_a_remark() {
        let lines = |text: &str| {
            let remarks = Dotenv::read(text).remarks;
            remarks
                .into_iter()
                .map(|(line, _)| line)
                .collect::<Vec<_>>()
        };
        assert_eq!(lines("A=pass#word\n"), [1]);
        assert_eq!(lines("A=1\nB=\"open\nC=2\n"), [2]);
        assert_eq!(lines("COLOR=#fff\n"), [1]);
        assert_eq!(lines("A=b # why\nC= # none\nD='#'\n# E=f#g\n"), [0; 0]);
    }
}
