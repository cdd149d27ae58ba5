//! Which words of a command are program text to whoever reads them.

use super::interpreters::Interpreter;

/// Commands of the shell that run, or calculate, what their words say.
const BUILT_IN: &[&str] = &["eval", "trap", "alias", "let", "[["];

/// What stands before the word of a command that is being read, without quotes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Before<'w> {
    /// The command's whole words.
    pub(super) words: &'w [String],
    /// What the word begins with.
    pub(super) begun: &'w str,
}

/// What a word is to who reads it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// A program, or a part of one.
    Program,
    /// A text that is an option, and may bring its program along, if it begins like one.
    Option,
}

impl<'w> Before<'w> {
    /// What would run the word, by its name. `free` is a text that may begin with anything.
    ///
    /// The programs that are most used are known, not all that there are.
    pub(super) fn runner(self, free: bool) -> Option<(&'w str, Role)> {
        let first = first_of(self.words);
        let command = self.words.get(first)?;
        if BUILT_IN.contains(&command.as_str()) {
            return Some((command, Role::Program));
        }
        let mut known = (first..self.words.len()).filter_map(|at| {
            let name = &self.words[at];
            let interpreter = Interpreter::named(name)?;
            // `--language awk` only names it.
            if interpreter.operand && at > first && self.words[at - 1].starts_with("--") {
                return None;
            }
            let role = interpreter.role(&self.words[at + 1..], self.begun)?;
            let counts = role == Role::Program || (free && at == first);
            counts.then_some((name.as_str(), role))
        });
        known.next()
    }

    /// Whether the word is an index in an assignment, which some shells calculate.
    pub(super) fn is_index(self) -> bool {
        let mut words = self.words.iter();
        words.all(|word| is_assignment(word))
            && self
                .begun
                .split_once('[')
                .is_some_and(|(name, rest)| is_name(name) && !rest.contains(']'))
    }
}

/// Where the command itself stands, behind variables and what only says how to look it up.
fn first_of(words: &[String]) -> usize {
    let leads =
        |word: &&String| is_assignment(word) || matches!(word.as_str(), "command" | "builtin");
    words.iter().take_while(leads).count()
}

fn is_assignment(word: &str) -> bool {
    let name = word.split_once('=').map(|(name, _)| name);
    name.is_some_and(|name| is_name(name.strip_suffix('+').unwrap_or(name)))
}

fn is_name(word: &str) -> bool {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    !word.is_empty() && word.chars().all(plain)
}

/// What the next word is to an option.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Next {
    Program,
    Value,
    #[default]
    Anything,
}

/// What the words behind the name of an interpreter say.
#[derive(Debug, Default)]
struct Read {
    next: Next,
    /// The first operand is a program.
    flag: bool,
    /// The program was there.
    given: bool,
    /// Behind `--`.
    ended: bool,
    /// Behind the next word all are another's.
    last: bool,
}

/// What a word of options says.
struct Options {
    next: Next,
    /// It has one that makes the first operand a program.
    flag: bool,
    /// It has one that takes a value, so that no operand is the program.
    given: bool,
    /// What is joined to it is a program, or further options.
    open: bool,
    /// Behind its value all words are another's.
    last: bool,
}

impl Interpreter {
    /// What the word that begins with `begun` is, after these words; `None` if it is not run.
    fn role(&self, words: &[String], begun: &str) -> Option<Role> {
        let mut read = Read::default();
        for word in words {
            self.read(word, &mut read)?;
        }
        let program = match read.next {
            Next::Program => true,
            Next::Value => return None,
            Next::Anything if !read.ended && begun.starts_with(['-', '+']) => {
                self.options(begun).open
            }
            Next::Anything => read.flag || (self.operand && !read.given),
        };
        let option = !read.ended && begun.is_empty() && !self.option.is_empty();
        match program {
            true => Some(Role::Program),
            false => option.then_some(Role::Option),
        }
    }

    /// Reads a whole word; `None` when all that follow are another's.
    fn read(&self, word: &str, read: &mut Read) -> Option<()> {
        let before = std::mem::take(&mut read.next);
        // Not every version takes a program there: what looks like an option is read as one.
        if before == Next::Value || (before == Next::Program && !word.starts_with('-')) {
            return (!read.last).then_some(());
        }
        if word == "--" {
            read.ended = true;
        } else if (!read.ended || self.permutes) && self.is_option(word) {
            let options = self.options(word);
            read.next = options.next;
            read.flag |= options.flag;
            read.given |= options.given;
            read.last = options.last;
            return (!read.last || read.next != Next::Anything).then_some(());
        } else if self.permutes {
            read.given = true;
        } else {
            return None;
        }
        Some(())
    }

    fn is_option(&self, word: &str) -> bool {
        let plus = !self.flag.is_empty() && word.starts_with('+');
        (word.starts_with('-') || plus) && word.len() > 1
    }

    fn options(&self, word: &str) -> Options {
        match word.strip_prefix("--") {
            Some(long) => self.long_option(long),
            None => self.letters(word.get(1..).unwrap_or_default()),
        }
    }

    fn long_option(&self, option: &str) -> Options {
        let (name, value) = match option.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (option, None),
        };
        let is_of =
            |known: &[&str]| name.len() > 1 && known.iter().any(|long| long.starts_with(name));
        let next = match value {
            None if is_of(self.long) => Next::Program,
            None if is_of(self.takes_long) => Next::Value,
            _ => Next::Anything,
        };
        Options {
            next,
            flag: false,
            given: is_of(self.long) || name == "file",
            open: value.is_none() || is_of(self.long),
            last: false,
        }
    }

    fn letters(&self, letters: &str) -> Options {
        let mut options = Options {
            next: Next::Anything,
            flag: false,
            given: false,
            open: true,
            last: false,
        };
        for (at, letter) in letters.char_indices() {
            let ends = at + letter.len_utf8() == letters.len();
            options.flag |= self.flag.contains(letter);
            options.last = self.last.contains(letter);
            if self.option.contains(letter) {
                options.given = true;
                if ends {
                    options.next = Next::Program;
                }
                return options;
            }
            if self.takes.contains(letter) {
                options.given |= letter == 'f';
                // Shells go on with the letters behind it.
                if ends || !self.flag.is_empty() {
                    options.next = Next::Value;
                }
                options.open = !self.flag.is_empty();
            }
            options.open &= !self.joined.contains(letter);
            if !options.open {
                return options;
            }
        }
        options
    }
}
