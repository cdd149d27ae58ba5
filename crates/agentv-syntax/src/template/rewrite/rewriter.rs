//! The rewriting of a whole template.

use std::collections::BTreeSet;

use minijinja::machinery::Span;
use minijinja::machinery::ast::Stmt;

use super::super::error::TemplateError;
use super::super::scopes::Scopes;
use super::origins::Origins;

/// A template that pays for what it does.
pub(in super::super) struct Rewritten<'a> {
    pub(in super::super) template: Stmt<'a>,
    /// The variables that it uses without setting them.
    pub(in super::super) variables: BTreeSet<&'a str>,
}

/// Rewrites a template. It writes text of the `untrusted` variables between tags.
///
/// # Errors
/// Fails if the template has a statement or call that no limit covers, or uses a filter, test or
/// function that does not exist.
pub(in super::super) fn rewrite<'a>(
    template: &Stmt<'a>,
    untrusted: &[&'a str],
) -> Result<Rewritten<'a>, TemplateError> {
    let mut origins = Origins::of(untrusted);
    loop {
        let known = origins.len();
        let mut rewriter = Rewriter {
            scopes: Scopes::new(),
            origins,
            loops: 0,
        };
        let template = rewriter.statement(template)?;
        origins = rewriter.origins;
        // A name may get text from others behind the place where it is written.
        if origins.len() == known {
            return Ok(Rewritten {
                template,
                variables: rewriter.scopes.into_used(),
            });
        }
    }
}

pub(super) struct Rewriter<'a> {
    pub(super) scopes: Scopes<'a>,
    pub(super) origins: Origins<'a>,
    /// Loops around the current statement.
    pub(super) loops: usize,
}

pub(super) type Rewriting<T> = Result<T, TemplateError>;

pub(super) fn line(span: Span) -> usize {
    usize::from(span.start_line)
}
