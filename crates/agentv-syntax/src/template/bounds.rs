//! What a template may consist of, so that parsing it is not deep and each step of filling it is cheap.
//!
//! What no filter pays for, and may go through whole texts, stands outside of loops and not often.

use minijinja::machinery::{Token, tokenize};
use minijinja::syntax::SyntaxConfig;

use super::TemplateError;

/// Words and signs in one `{{ … }}` or `{% … %}`.
const LONGEST_EXPRESSION: usize = 200;
/// Words and signs in all of them.
const MOST_TOKENS: usize = 20_000;
/// Brackets one within another.
const MOST_BRACKETS: usize = 20;
/// `if`, `elif`, `for` and `with` one within another.
const DEEPEST: usize = 50;
/// How many texts may be joined by `~` or `+`: each may double what there is.
const MOST_JOINED: usize = 4;
/// How many parts of texts may be taken by `[…:…]`.
const MOST_CUT: usize = 8;
/// How often two texts may be compared or one be looked through.
const MOST_COMPARED: usize = 50;
/// The farthest place in a text or list that counts as near.
const NEAR: u64 = 100;

/// Statements that keep no text for later.
const STATEMENTS: &[&str] = &[
    "if", "elif", "else", "endif", "for", "endfor", "set", "with", "endwith", "raw", "endraw",
];
/// What `loop` tells that is a number or a yes or no.
const LOOP_NUMBERS: &[&str] = &[
    "index",
    "index0",
    "revindex",
    "revindex0",
    "length",
    "first",
    "last",
    "depth",
    "depth0",
];

type Tokens<'t> = [(Token<'t>, usize)];

/// Refuses a template with what could make much of little.
///
/// # Errors
/// What it is, and the line it is on.
pub(super) fn check(source: &str) -> Result<(), TemplateError> {
    let mut checked = Checked::default();
    let mut expression = Vec::new();
    // What cannot be read is told by the parser, in better words.
    for (token, span) in tokenize(source, false, SyntaxConfig::default()).map_while(Result::ok) {
        let line = span.start_line as usize;
        if matches!(token, Token::TemplateData(_)) {
            continue;
        }
        let is_end = matches!(token, Token::VariableEnd | Token::BlockEnd);
        expression.push((token, line));
        checked.count(expression.len(), line)?;
        if is_end {
            checked.expression(&expression)?;
            expression.clear();
        }
    }
    checked.expression(&expression)
}

/// How much of everything there was so far.
#[derive(Default)]
struct Checked {
    tokens: usize,
    joined: usize,
    cut: usize,
    compared: usize,
    /// The statements that have not ended yet.
    open: Vec<Open>,
}

struct Open {
    is_loop: bool,
    depth: usize,
}

fn refused(line: usize, what: impl std::fmt::Display) -> TemplateError {
    TemplateError {
        reason: format!("a prompt takes no {what}"),
        line: Some(line),
    }
}

impl Checked {
    fn count(&mut self, in_expression: usize, line: usize) -> Result<(), TemplateError> {
        self.tokens += 1;
        if in_expression > LONGEST_EXPRESSION {
            let what = "more than 200 words and signs in one `{{ … }}` or `{% … %}`";
            return Err(refused(line, what));
        }
        if self.tokens > MOST_TOKENS {
            let what = "more than 20,000 words and signs in `{{ … }}` and `{% … %}` together";
            return Err(refused(line, what));
        }
        Ok(())
    }

    /// Checks what is between `{{` and `}}`, or `{%` and `%}`, with these.
    fn expression(&mut self, tokens: &Tokens<'_>) -> Result<(), TemplateError> {
        check_brackets(tokens)?;
        let statement = match tokens {
            [(Token::BlockStart, line), (Token::Ident(name), _), ..] => Some((*name, *line)),
            _ => None,
        };
        let mut is_repeated = self.open.iter().any(|open| open.is_loop);
        if let Some((name, line)) = statement {
            self.statement(name, line)?;
            if name == "set" {
                check_assignment(tokens, line)?;
            }
        }
        let is_loop = statement.is_some_and(|(name, _)| name == "for");
        let own_in = tokens
            .iter()
            .position(|(token, _)| is_loop && matches!(token, Token::Ident("in")));
        for (index, (token, line)) in tokens.iter().enumerate() {
            // The condition of a loop is asked for each value.
            is_repeated |= is_loop && matches!(token, Token::Ident("if"));
            check_token(tokens, index)?;
            if own_in != Some(index) {
                self.cost(tokens, index, is_repeated, *line)?;
            }
        }
        Ok(())
    }

    fn statement(&mut self, name: &str, line: usize) -> Result<(), TemplateError> {
        if !STATEMENTS.contains(&name) {
            return Err(refused(line, format_args!("`{{% {name} %}}`")));
        }
        match name {
            "if" | "for" | "with" => self.open.push(Open {
                is_loop: name == "for",
                depth: 1,
            }),
            "elif" => self
                .open
                .iter_mut()
                .last()
                .into_iter()
                .for_each(|open| open.depth += 1),
            "endif" | "endfor" | "endwith" => drop(self.open.pop()),
            _ => {}
        }
        if self.open.iter().map(|open| open.depth).sum::<usize>() > DEEPEST {
            let what = "more than 50 of `if`, `elif`, `for` and `with` one within another";
            return Err(refused(line, what));
        }
        Ok(())
    }

    /// Counts what may go through whole texts, and refuses it where it is repeated.
    fn cost(
        &mut self,
        tokens: &Tokens<'_>,
        index: usize,
        is_repeated: bool,
        line: usize,
    ) -> Result<(), TemplateError> {
        let Some(cost) = Cost::of(tokens, index) else {
            return Ok(());
        };
        let (count, most, too_many, repeated) = match cost {
            Cost::Join => (
                &mut self.joined,
                MOST_JOINED,
                "more than 4 texts joined by `~` or `+`",
                "`~` or `+` of texts inside of a loop: write one after the other",
            ),
            Cost::Cut => (
                &mut self.cut,
                MOST_CUT,
                "more than 8 parts of texts, `[…:…]`",
                "`[…:…]` inside of a loop: `{% set %}` it before",
            ),
            Cost::Index => (
                &mut self.compared,
                MOST_COMPARED,
                "more than 50 comparisons, `in` and `[…]`",
                "`[…]` inside of a loop, but of names and small numbers: write `|attr(…)`",
            ),
            Cost::In => (
                &mut self.compared,
                MOST_COMPARED,
                "more than 50 comparisons, `in` and `[…]`",
                "`in` inside of a loop: write `is in(…)`",
            ),
            Cost::Compare => (
                &mut self.compared,
                MOST_COMPARED,
                "more than 50 comparisons, `in` and `[…]`",
                "comparison inside of a loop, but with what is written there: write `is eq(…)`, `is lt(…)`",
            ),
        };
        *count += 1;
        match (is_repeated, *count > most) {
            (true, _) => Err(refused(line, repeated)),
            (false, true) => Err(refused(line, too_many)),
            (false, false) => Ok(()),
        }
    }
}

/// What may go through whole texts.
#[derive(Clone, Copy)]
enum Cost {
    Join,
    Cut,
    Index,
    In,
    Compare,
}

impl Cost {
    fn of(tokens: &Tokens<'_>, index: usize) -> Option<Cost> {
        let before = previous(tokens, index);
        let after = next(tokens, index);
        match &tokens[index].0 {
            Token::Plus if is_number(before) || is_number(after) => None,
            Token::Plus | Token::Tilde => Some(Cost::Join),
            Token::Colon => Some(Cost::Cut),
            Token::BracketOpen => {
                let is_near = match after {
                    Some(Token::Str(_) | Token::String(_)) => true,
                    Some(Token::Int(place)) => *place <= NEAR,
                    _ => false,
                };
                let is_alone = matches!(next(tokens, index + 1), Some(Token::BracketClose));
                (!(is_near && is_alone)).then_some(Cost::Index)
            }
            Token::Eq | Token::Ne | Token::Lt | Token::Lte | Token::Gt | Token::Gte => {
                (!is_small(tokens, index)).then_some(Cost::Compare)
            }
            Token::Ident("in") => match before {
                Some(Token::Dot | Token::Ident("is")) => None,
                Some(Token::Ident("not")) if is_test(tokens, index) => None,
                _ => Some(Cost::In),
            },
            _ => None,
        }
    }
}

fn previous<'a, 't>(tokens: &'a Tokens<'t>, index: usize) -> Option<&'a Token<'t>> {
    index.checked_sub(1).map(|index| &tokens[index].0)
}

fn next<'a, 't>(tokens: &'a Tokens<'t>, index: usize) -> Option<&'a Token<'t>> {
    tokens.get(index + 1).map(|(token, _)| token)
}

/// Whether the `in` at this place stands in `is not in`.
fn is_test(tokens: &Tokens<'_>, index: usize) -> bool {
    let first = index.checked_sub(2).map(|index| &tokens[index].0);
    matches!(first, Some(Token::Ident("is")))
}

/// Whether one side of a comparison is written there, or a number of the loop.
fn is_small(tokens: &Tokens<'_>, index: usize) -> bool {
    let is_written = |token: Option<&Token<'_>>| {
        let is_word = matches!(
            token,
            Some(Token::Str(_) | Token::String(_) | Token::Minus)
                | Some(Token::Ident(
                    "true" | "false" | "none" | "True" | "False" | "None"
                ))
        );
        is_word || is_number(token)
    };
    let is_of_loop = |tokens: &Tokens<'_>| match tokens {
        [
            (Token::Ident("loop"), _),
            (Token::Dot, _),
            (Token::Ident(name), _),
        ] => LOOP_NUMBERS.contains(name),
        _ => false,
    };
    let left = index
        .checked_sub(3)
        .and_then(|start| tokens.get(start..index));
    let right = tokens.get(index + 1..index + 4);
    is_written(previous(tokens, index))
        || is_written(next(tokens, index))
        || left.is_some_and(is_of_loop)
        || right.is_some_and(is_of_loop)
}

/// Refuses what a template may nowhere have.
fn check_token(tokens: &Tokens<'_>, index: usize) -> Result<(), TemplateError> {
    let (token, line) = &tokens[index];
    let before = previous(tokens, index);
    let after = next(tokens, index);
    let what = match token {
        Token::Mul | Token::Pow => "`*` and `**`",
        Token::BraceOpen => "objects of its own (`{…}`)",
        Token::BracketOpen if !is_value(before) => "lists of its own (`[…]`)",
        Token::ParenOpen if !is_value(before) && has_comma(&tokens[index + 1..]) => {
            "lists of its own (`(…, …)`)"
        }
        Token::Ident("recursive") if !matches!(before, Some(Token::Dot)) => {
            "loop that calls itself"
        }
        Token::Ident("loop")
            if !matches!(before, Some(Token::Dot)) && !matches!(after, Some(Token::Dot)) =>
        {
            "`loop` but `loop.index` and the like"
        }
        Token::Ident("loop")
            if matches!(next(tokens, index + 1), Some(Token::Ident("changed"))) =>
        {
            "`loop.changed`"
        }
        _ => return Ok(()),
    };
    Err(refused(*line, what))
}

fn check_brackets(tokens: &Tokens<'_>) -> Result<(), TemplateError> {
    let mut depth: usize = 0;
    for (token, line) in tokens {
        match token {
            Token::ParenOpen | Token::BracketOpen => depth += 1,
            Token::ParenClose | Token::BracketClose => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > MOST_BRACKETS {
            return Err(refused(*line, "more than 20 brackets one within another"));
        }
    }
    Ok(())
}

/// A `set` has one value.
fn check_assignment(tokens: &Tokens<'_>, line: usize) -> Result<(), TemplateError> {
    let is_assign = |(token, _): &(Token<'_>, usize)| matches!(token, Token::Assign);
    match tokens.iter().position(is_assign) {
        None => Err(refused(line, "`{% set … %}` without a value")),
        Some(assign) if has_comma(&tokens[assign + 1..]) => {
            Err(refused(line, "lists of its own (`…, …`)"))
        }
        Some(_) => Ok(()),
    }
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

/// Whether there is a comma outside of the brackets that open here, before one closes that did not.
fn has_comma(tokens: &Tokens<'_>) -> bool {
    let mut depth = 0;
    for (token, _) in tokens {
        match token {
            Token::Comma if depth == 0 => return true,
            Token::ParenClose | Token::BracketClose if depth == 0 => return false,
            Token::ParenOpen | Token::BracketOpen => depth += 1,
            Token::ParenClose | Token::BracketClose => depth -= 1,
            _ => {}
        }
    }
    false
}
