//! The rewriting of statements.

use minijinja::Value;
use minijinja::machinery::Span;
use minijinja::machinery::ast::{self, Expr, Spanned, Stmt};

use super::super::error::TemplateError;
use super::super::operators::READ;
use super::pay::paid;
use super::rewriter::{Rewriter, Rewriting, line};

impl<'a> Rewriter<'a> {
    // One function for each kind keeps the frames small that recursion puts on the stack.
    pub(super) fn statement(&mut self, statement: &Stmt<'a>) -> Rewriting<Stmt<'a>> {
        match statement {
            Stmt::Template(template) => self.template(template),
            Stmt::EmitExpr(emit) => self.emit(emit),
            Stmt::EmitRaw(emit) => Ok(self.raw(emit)),
            Stmt::ForLoop(repeated) => self.repeated(repeated),
            Stmt::IfCond(condition) => self.condition(condition),
            Stmt::WithBlock(with) => self.with(with),
            Stmt::Set(set) => self.set(set),
            other => Err(unsupported(other)),
        }
    }

    fn template(&mut self, template: &Spanned<ast::Template<'a>>) -> Rewriting<Stmt<'a>> {
        let children = self.statements(&template.children)?;
        let rewritten = ast::Template { children };
        Ok(Stmt::Template(Spanned::new(rewritten, template.span())))
    }

    fn emit(&mut self, emit: &Spanned<ast::EmitExpr<'a>>) -> Rewriting<Stmt<'a>> {
        let expr = self.emitted(&emit.expr)?;
        let rewritten = ast::EmitExpr { expr };
        Ok(Stmt::EmitExpr(Spanned::new(rewritten, emit.span())))
    }

    fn condition(&mut self, condition: &Spanned<ast::IfCond<'a>>) -> Rewriting<Stmt<'a>> {
        let rewritten = ast::IfCond {
            expr: self.expression(&condition.expr)?,
            true_body: self.block(&condition.true_body)?,
            false_body: self.block(&condition.false_body)?,
        };
        Ok(Stmt::IfCond(Spanned::new(rewritten, condition.span())))
    }

    fn set(&mut self, set: &Spanned<ast::Set<'a>>) -> Rewriting<Stmt<'a>> {
        let expr = self.assigned(&set.target, &set.expr)?;
        let target = self.target(&set.target)?;
        let rewritten = ast::Set { target, expr };
        Ok(Stmt::Set(Spanned::new(rewritten, set.span())))
    }

    fn statements(&mut self, statements: &[Stmt<'a>]) -> Rewriting<Vec<Stmt<'a>>> {
        statements
            .iter()
            .map(|inner| self.statement(inner))
            .collect()
    }

    fn block(&mut self, statements: &[Stmt<'a>]) -> Rewriting<Vec<Stmt<'a>>> {
        self.scopes.push();
        let block = self.statements(statements);
        self.scopes.pop();
        block
    }

    /// Rewrites text between statements. What a loop repeats has to pass the meter each time.
    fn raw(&self, emit: &Spanned<ast::EmitRaw<'a>>) -> Stmt<'a> {
        let (raw, span) = (emit.raw, emit.span());
        if self.loops == 0 {
            return Stmt::EmitRaw(Spanned::new(ast::EmitRaw { raw }, span));
        }
        let value = Value::from(raw);
        let expr = Expr::Const(Spanned::new(ast::Const { value }, span));
        Stmt::EmitExpr(Spanned::new(ast::EmitExpr { expr }, span))
    }

    fn repeated(&mut self, repeated: &Spanned<ast::ForLoop<'a>>) -> Rewriting<Stmt<'a>> {
        let span = repeated.span();
        if repeated.recursive {
            let what = "a loop that calls itself (`recursive`)";
            return Err(TemplateError::refused(line(span), what));
        }
        let iter = paid(READ, self.expression(&repeated.iter)?);
        self.origins.assign_loop(&repeated.target, &repeated.iter);
        self.scopes.push();
        self.scopes.set_name("loop");
        self.loops += 1;
        let rewritten = ast::ForLoop {
            iter,
            target: self.target(&repeated.target)?,
            filter_expr: self.optional(&repeated.filter_expr)?,
            recursive: false,
            body: self.statements(&repeated.body)?,
            else_body: Vec::new(),
        };
        self.loops -= 1;
        self.scopes.pop();
        let else_body = self.block(&repeated.else_body)?;
        let rewritten = ast::ForLoop {
            else_body,
            ..rewritten
        };
        Ok(Stmt::ForLoop(Spanned::new(rewritten, span)))
    }

    fn with(&mut self, with: &Spanned<ast::WithBlock<'a>>) -> Rewriting<Stmt<'a>> {
        self.scopes.push();
        let mut assignments = Vec::with_capacity(with.assignments.len());
        for (target, value) in &with.assignments {
            let value = self.assigned(target, value)?;
            assignments.push((self.target(target)?, value));
        }
        let body = self.statements(&with.body)?;
        self.scopes.pop();
        let rewritten = ast::WithBlock { assignments, body };
        Ok(Stmt::WithBlock(Spanned::new(rewritten, with.span())))
    }

    /// Rewrites a value that is assigned. Taking it apart reads it.
    fn assigned(&mut self, target: &Expr<'a>, value: &Expr<'a>) -> Rewriting<Expr<'a>> {
        self.origins.assign(target, value);
        let value = self.expression(value)?;
        Ok(match target {
            Expr::Var(_) => value,
            _ => paid(READ, value),
        })
    }

    /// Rebuilds the target of an assignment: a name, or several.
    fn target(&mut self, target: &Expr<'a>) -> Rewriting<Expr<'a>> {
        self.scopes.set(target);
        rebuilt_target(target)
    }
}

fn rebuilt_target<'a>(target: &Expr<'a>) -> Rewriting<Expr<'a>> {
    let span = target.span();
    let several = |items: &[Expr<'a>]| items.iter().map(rebuilt_target).collect();
    Ok(match target {
        Expr::Var(variable) => Expr::Var(Spanned::new(ast::Var { id: variable.id }, span)),
        Expr::List(list) => {
            let items: Rewriting<_> = several(&list.items);
            Expr::List(Spanned::new(ast::List { items: items? }, span))
        }
        Expr::Tuple(tuple) => {
            let items: Rewriting<_> = several(&tuple.items);
            Expr::Tuple(Spanned::new(ast::Tuple { items: items? }, span))
        }
        _ => {
            let what = "an assignment to anything but a name";
            return Err(TemplateError::refused(line(span), what));
        }
    })
}

fn unsupported(statement: &Stmt<'_>) -> TemplateError {
    let (span, what) = match statement {
        Stmt::SetBlock(inner) => (inner.span(), "`{% set … %}` without a value"),
        Stmt::AutoEscape(inner) => (inner.span(), "`{% autoescape %}`"),
        Stmt::FilterBlock(inner) => (inner.span(), "`{% filter %}`"),
        Stmt::Block(inner) => (inner.span(), "`{% block %}`"),
        Stmt::Import(inner) => (inner.span(), "`{% import %}`"),
        Stmt::FromImport(inner) => (inner.span(), "`{% from %}`"),
        Stmt::Extends(inner) => (inner.span(), "`{% extends %}`"),
        Stmt::Include(inner) => (inner.span(), "`{% include %}`"),
        Stmt::Macro(inner) => (inner.span(), "`{% macro %}`"),
        Stmt::CallBlock(inner) => (inner.span(), "`{% call %}`"),
        Stmt::Do(inner) => (inner.span(), "`{% do %}`"),
        _ => (Span::default(), "this statement"),
    };
    TemplateError::refused(line(span), what)
}
