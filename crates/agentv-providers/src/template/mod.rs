//! Command lines with placeholders, whose values the shell never reads as a part of the line.
//!
//! In the line that the shell gets, a reference to a variable of its environment stands for each
//! placeholder: `{PROMPT}` becomes `"${AGENTV_PROMPT}"`. What the variable holds is no text of the line,
//! so nothing in it is run, even where the `reader` should take a quote for another than the shell does.
//! The reader is there to keep a value one word; `program` knows whom a word would be a program to.

mod command;
mod interpreters;
mod program;
mod reader;

use reader::Reader;

/// A command line, or a part of one, with placeholders.
///
/// `"{PROMPT}"`, `'{PROMPT}'` and `{PROMPT}` give the same: one word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Template {
    pieces: Vec<Piece>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Piece {
    Text(String),
    Placeholder { word: &'static str, within: Within },
}

/// The quotes that a placeholder stands in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Within {
    Nothing,
    Single,
    Double,
}

/// What takes the place of a placeholder.
pub(crate) enum Filling {
    /// The value of a variable of this name.
    Variable(String),
    /// Words for the shell, which must hold no text but names of variables and what a user configured.
    Words(String),
}

impl Template {
    /// Finds the placeholders `{WORD}` of these words.
    ///
    /// # Errors
    /// When one stands where its value would be run all the same.
    pub(crate) fn of(line: &str, words: &'static [&'static str]) -> Result<Template, String> {
        let mut reader = Reader::default();
        let mut pieces = Vec::new();
        let (mut at, mut text_from) = (0, 0);
        while at < line.len() {
            let word = placeholder_at(line, at, words).filter(|_| !reader.in_comment());
            let Some(word) = word else {
                at += reader.step(&line[at..], line[..at].chars().next_back());
                continue;
            };
            let within = reader.within(word).map_err(|place| {
                format!("`{{{word}}}` cannot stand in {place}: its text would be run")
            })?;
            reader.placeholder();
            pieces.push(Piece::Text(line[text_from..at].to_owned()));
            pieces.push(Piece::Placeholder { word, within });
            at += word.len() + 2;
            text_from = at;
        }
        pieces.push(Piece::Text(line[text_from..].to_owned()));
        Ok(Template { pieces })
    }

    /// Whether a placeholder of this word is there.
    pub(crate) fn uses(&self, word: &str) -> bool {
        let mut pieces = self.pieces.iter();
        pieces.any(|piece| matches!(piece, Piece::Placeholder { word: used, .. } if *used == word))
    }

    /// The line for the shell, with what `filling` gives in the place of each placeholder.
    pub(crate) fn fill(&self, filling: impl Fn(&'static str) -> Filling) -> String {
        let pieces = self.pieces.iter().map(|piece| match piece {
            Piece::Text(text) => text.clone(),
            Piece::Placeholder { word, within } => within.filled(filling(word)),
        });
        pieces.collect()
    }
}

impl Within {
    fn filled(self, filling: Filling) -> String {
        match (self, filling) {
            (Within::Nothing, Filling::Variable(name)) => format!("\"${{{name}}}\""),
            (Within::Single, Filling::Variable(name)) => format!("'\"${{{name}}}\"'"),
            (Within::Double, Filling::Variable(name)) => format!("${{{name}}}"),
            (Within::Nothing, Filling::Words(words)) => words,
            (Within::Single, Filling::Words(words)) => format!("'{words}'"),
            (Within::Double, Filling::Words(words)) => format!("\"{words}\""),
        }
    }
}

/// The placeholder that begins at `at`. `${NAME}` is the shell's.
fn placeholder_at(line: &str, at: usize, words: &'static [&'static str]) -> Option<&'static str> {
    let rest = line[at..].strip_prefix('{')?;
    if line[..at].ends_with(['$', '{']) {
        return None;
    }
    let (word, _) = rest.split_once('}')?;
    words.iter().copied().find(|known| *known == word)
}

#[cfg(test)]
mod tests;
