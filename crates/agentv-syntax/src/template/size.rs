//! The size and depth of a template, checked before the parser goes as deep as the template does.

use minijinja::machinery::{Token, tokenize};
use minijinja::syntax::SyntaxConfig;

use super::error::TemplateError;

/// Words and signs in one `{{ … }}` or `{% … %}`.
const LONGEST_EXPRESSION: usize = 200;
/// Words and signs in all of them.
const MOST_TOKENS: usize = 20_000;
/// Nesting of brackets.
const MOST_BRACKETS: usize = 20;
/// Nesting of `if`, `elif`, `for` and `with`.
const DEEPEST: usize = 50;

type Tokens<'t> = [(Token<'t>, usize)];

/// Refuses a template that is too large or too deep.
///
/// # Errors
/// Fails with the limit that is exceeded, and the line.
pub(super) fn check(source: &str) -> Result<(), TemplateError> {
    let mut nesting = Nesting::default();
    let mut expression = Vec::new();
    let mut count = 0;
    // The parser explains what cannot be read, in better words.
    for (token, span) in tokenize(source, false, SyntaxConfig::default()).map_while(Result::ok) {
        let line = usize::from(span.start_line);
        if matches!(token, Token::TemplateData(_)) {
            continue;
        }
        let is_end = matches!(token, Token::VariableEnd | Token::BlockEnd);
        expression.push((token, line));
        count += 1;
        check_count(expression.len(), count, line)?;
        if is_end {
            check_brackets(&expression)?;
            nesting.add(&expression)?;
            expression.clear();
        }
    }
    check_brackets(&expression)
}

fn check_count(in_expression: usize, in_all: usize, line: usize) -> Result<(), TemplateError> {
    if in_expression > LONGEST_EXPRESSION {
        let what = "more than 200 tokens in one `{{ … }}` or `{% … %}`: use several";
        return Err(TemplateError::refused(line, what));
    }
    if in_all > MOST_TOKENS {
        let what = "more than 20,000 tokens in `{{ … }}` and `{% … %}` together: make it shorter";
        return Err(TemplateError::refused(line, what));
    }
    Ok(())
}

fn check_brackets(tokens: &Tokens<'_>) -> Result<(), TemplateError> {
    let mut depth: usize = 0;
    for (token, line) in tokens {
        match token {
            Token::ParenOpen | Token::BracketOpen | Token::BraceOpen => depth += 1,
            Token::ParenClose | Token::BracketClose | Token::BraceClose => {
                depth = depth.saturating_sub(1);
            }
            _ => {}
        }
        if depth > MOST_BRACKETS {
            let what = "more than 20 nested brackets";
            return Err(TemplateError::refused(*line, what));
        }
    }
    Ok(())
}

/// The statements that have not ended yet, each with the `elif`s that the parser nests in it.
#[derive(Default)]
struct Nesting {
    open: Vec<usize>,
}

impl Nesting {
    fn add(&mut self, tokens: &Tokens<'_>) -> Result<(), TemplateError> {
        let [(Token::BlockStart, line), (Token::Ident(name), _), ..] = tokens else {
            return Ok(());
        };
        match *name {
            "elif" => self
                .open
                .iter_mut()
                .last()
                .into_iter()
                .for_each(|open| *open += 1),
            "else" | "set" => {}
            name if name.starts_with("end") => drop(self.open.pop()),
            _ => self.open.push(1),
        }
        if self.open.iter().sum::<usize>() > DEEPEST {
            let what = "more than 50 nested `if`, `elif`, `for` and `with`";
            return Err(TemplateError::refused(*line, what));
        }
        Ok(())
    }
}
