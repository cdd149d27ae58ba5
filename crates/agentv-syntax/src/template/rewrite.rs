//! Rewrites a parsed template so that every operation pays for the values it touches.

use std::collections::BTreeSet;

use minijinja::Value;
use minijinja::machinery::Span;
use minijinja::machinery::ast::{self, BinOpKind, CallArg, CompareOpKind, Expr, Spanned, Stmt};

use super::error::TemplateError;
use super::operators::{COPY, ITEM, LIST, NUMBER, READ};
use super::scopes::Scopes;

/// Longest text in a template that counts as short, in bytes.
const SHORT: usize = 64;

/// A template that pays for what it does.
pub(super) struct Rewritten<'a> {
    pub(super) template: Stmt<'a>,
    /// The variables that it uses without setting them.
    pub(super) variables: BTreeSet<&'a str>,
}

/// Rewrites a template.
///
/// # Errors
/// Fails if the template has a statement or call that no limit covers.
pub(super) fn rewrite<'a>(template: &Stmt<'a>) -> Result<Rewritten<'a>, TemplateError> {
    let mut rewriter = Rewriter {
        scopes: Scopes::new(),
        loops: 0,
    };
    Ok(Rewritten {
        template: rewriter.statement(template)?,
        variables: rewriter.scopes.into_used(),
    })
}

struct Rewriter<'a> {
    scopes: Scopes<'a>,
    /// Loops around the current statement.
    loops: usize,
}

type Rewriting<T> = Result<T, TemplateError>;

impl<'a> Rewriter<'a> {
    // One function for each kind keeps the frames small that recursion puts on the stack.
    fn statement(&mut self, statement: &Stmt<'a>) -> Rewriting<Stmt<'a>> {
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
        let expr = self.expression(&emit.expr)?;
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

    fn optional(&mut self, expression: &Option<Expr<'a>>) -> Rewriting<Option<Expr<'a>>> {
        let expression = expression.as_ref();
        expression.map(|inner| self.expression(inner)).transpose()
    }

    fn expressions(&mut self, expressions: &[Expr<'a>]) -> Rewriting<Vec<Expr<'a>>> {
        let expressions = expressions.iter();
        expressions.map(|inner| self.expression(inner)).collect()
    }

    fn expression(&mut self, expression: &Expr<'a>) -> Rewriting<Expr<'a>> {
        match expression {
            Expr::Var(variable) => Ok(self.variable(variable)),
            Expr::Const(constant) => Ok(copied(constant)),
            Expr::Slice(slice) => self.slice(slice),
            Expr::UnaryOp(unary) => self.unary(unary),
            Expr::BinOp(binary) => self.binary(binary),
            Expr::Compare(compare) => self.compare(compare),
            Expr::IfExpr(choice) => self.choice(choice),
            Expr::Filter(filter) => self.filter(filter),
            Expr::Test(test) => self.test(test),
            Expr::GetAttr(attribute) => self.attribute(attribute),
            Expr::GetItem(item) => self.item(item),
            Expr::Call(call) => self.call(call),
            Expr::List(list) => self.list(list),
            Expr::Tuple(tuple) => self.tuple(tuple),
            Expr::Map(map) => self.map(map),
        }
    }

    fn variable(&mut self, variable: &Spanned<ast::Var<'a>>) -> Expr<'a> {
        let id = variable.id;
        self.scopes.use_name(id);
        Expr::Var(Spanned::new(ast::Var { id }, variable.span()))
    }

    fn unary(&mut self, unary: &Spanned<ast::UnaryOp<'a>>) -> Rewriting<Expr<'a>> {
        #[expect(clippy::needless_match, reason = "the kind cannot be copied")]
        let op = match unary.op {
            ast::UnaryOpKind::Not => ast::UnaryOpKind::Not,
            ast::UnaryOpKind::Neg => ast::UnaryOpKind::Neg,
        };
        let expr = self.expression(&unary.expr)?;
        let rewritten = ast::UnaryOp { op, expr };
        Ok(Expr::UnaryOp(Spanned::new(rewritten, unary.span())))
    }

    fn choice(&mut self, choice: &Spanned<ast::IfExpr<'a>>) -> Rewriting<Expr<'a>> {
        let rewritten = ast::IfExpr {
            test_expr: self.expression(&choice.test_expr)?,
            true_expr: self.expression(&choice.true_expr)?,
            false_expr: self.optional(&choice.false_expr)?,
        };
        Ok(Expr::IfExpr(Spanned::new(rewritten, choice.span())))
    }

    fn filter(&mut self, filter: &Spanned<ast::Filter<'a>>) -> Rewriting<Expr<'a>> {
        let rewritten = ast::Filter {
            name: filter.name,
            expr: self.optional(&filter.expr)?,
            args: self.arguments(&filter.args, filter.span())?,
        };
        Ok(Expr::Filter(Spanned::new(rewritten, filter.span())))
    }

    fn test(&mut self, test: &Spanned<ast::Test<'a>>) -> Rewriting<Expr<'a>> {
        let rewritten = ast::Test {
            name: test.name,
            expr: self.expression(&test.expr)?,
            args: self.arguments(&test.args, test.span())?,
        };
        Ok(Expr::Test(Spanned::new(rewritten, test.span())))
    }

    fn attribute(&mut self, attribute: &Spanned<ast::GetAttr<'a>>) -> Rewriting<Expr<'a>> {
        let rewritten = ast::GetAttr {
            expr: self.expression(&attribute.expr)?,
            name: attribute.name,
        };
        Ok(Expr::GetAttr(Spanned::new(rewritten, attribute.span())))
    }

    fn item(&mut self, item: &Spanned<ast::GetItem<'a>>) -> Rewriting<Expr<'a>> {
        let rewritten = ast::GetItem {
            expr: paid(ITEM, self.expression(&item.expr)?),
            subscript_expr: paid(READ, self.expression(&item.subscript_expr)?),
        };
        Ok(Expr::GetItem(Spanned::new(rewritten, item.span())))
    }

    fn list(&mut self, list: &Spanned<ast::List<'a>>) -> Rewriting<Expr<'a>> {
        let items = self.expressions(&list.items)?;
        Ok(Expr::List(Spanned::new(ast::List { items }, list.span())))
    }

    fn tuple(&mut self, tuple: &Spanned<ast::Tuple<'a>>) -> Rewriting<Expr<'a>> {
        let items = self.expressions(&tuple.items)?;
        Ok(Expr::Tuple(Spanned::new(
            ast::Tuple { items },
            tuple.span(),
        )))
    }

    fn map(&mut self, map: &Spanned<ast::Map<'a>>) -> Rewriting<Expr<'a>> {
        let keys = self.expressions(&map.keys)?;
        let rewritten = ast::Map {
            // Keys are compared with each other.
            keys: keys.into_iter().map(|key| paid(READ, key)).collect(),
            values: self.expressions(&map.values)?,
        };
        Ok(Expr::Map(Spanned::new(rewritten, map.span())))
    }

    fn slice(&mut self, slice: &Spanned<ast::Slice<'a>>) -> Rewriting<Expr<'a>> {
        let rewritten = ast::Slice {
            expr: paid(COPY, self.expression(&slice.expr)?),
            start: self.optional(&slice.start)?,
            stop: self.optional(&slice.stop)?,
            step: self.optional(&slice.step)?,
        };
        Ok(paid(
            LIST,
            Expr::Slice(Spanned::new(rewritten, slice.span())),
        ))
    }

    fn binary(&mut self, binary: &Spanned<ast::BinOp<'a>>) -> Rewriting<Expr<'a>> {
        let (op, span) = (binary.op, binary.span());
        let left = self.expression(&binary.left)?;
        let right = self.expression(&binary.right)?;
        let made = |left, right| Expr::BinOp(Spanned::new(ast::BinOp { op, left, right }, span));
        Ok(match op {
            BinOpKind::Add if is_number(&left) || is_number(&right) => made(left, right),
            BinOpKind::Add => paid(LIST, made(paid(COPY, left), paid(COPY, right))),
            BinOpKind::Concat => made(paid(COPY, left), paid(COPY, right)),
            BinOpKind::Mul => made(paid(NUMBER, left), paid(NUMBER, right)),
            BinOpKind::Eq
            | BinOpKind::Ne
            | BinOpKind::Lt
            | BinOpKind::Lte
            | BinOpKind::Gt
            | BinOpKind::Gte
                if is_short(&left) || is_short(&right) =>
            {
                made(left, right)
            }
            BinOpKind::Eq
            | BinOpKind::Ne
            | BinOpKind::Lt
            | BinOpKind::Lte
            | BinOpKind::Gt
            | BinOpKind::Gte
            | BinOpKind::In => made(paid(READ, left), paid(READ, right)),
            BinOpKind::ScAnd
            | BinOpKind::ScOr
            | BinOpKind::Sub
            | BinOpKind::Div
            | BinOpKind::FloorDiv
            | BinOpKind::Rem
            | BinOpKind::Pow => made(left, right),
        })
    }

    fn compare(&mut self, compare: &Spanned<ast::Compare<'a>>) -> Rewriting<Expr<'a>> {
        let mut expr = self.expression(&compare.expr)?;
        let mut ops = Vec::with_capacity(compare.ops.len());
        for ast::CompareOp { op, expr } in &compare.ops {
            let (op, expr) = (*op, self.expression(expr)?);
            ops.push(ast::CompareOp { op, expr });
        }
        let is_cheap = match ops.as_slice() {
            [only] if !matches!(only.op, CompareOpKind::In | CompareOpKind::NotIn) => {
                is_short(&expr) || is_short(&only.expr)
            }
            _ => false,
        };
        if !is_cheap {
            expr = paid(READ, expr);
            let paid_op = |ast::CompareOp { op, expr }| ast::CompareOp {
                op,
                expr: paid(READ, expr),
            };
            ops = ops.into_iter().map(paid_op).collect();
        }
        let rewritten = ast::Compare { expr, ops };
        Ok(Expr::Compare(Spanned::new(rewritten, compare.span())))
    }

    fn call(&mut self, call: &Spanned<ast::Call<'a>>) -> Rewriting<Expr<'a>> {
        let span = call.span();
        // minijinja divides by the number of arguments of `loop.cycle`.
        let is_empty_cycle = matches!(&call.expr, Expr::GetAttr(method) if method.name == "cycle")
            && !call
                .args
                .iter()
                .any(|argument| matches!(argument, CallArg::Pos(_)));
        if is_empty_cycle {
            return Err(TemplateError::refused(
                line(span),
                "`cycle()` without a value",
            ));
        }
        let args = self.arguments(&call.args, span)?.into_iter();
        let rewritten = ast::Call {
            expr: self.expression(&call.expr)?,
            // `loop.changed` compares its arguments.
            args: args.map(paid_argument).collect(),
        };
        Ok(Expr::Call(Spanned::new(rewritten, span)))
    }

    fn arguments(&mut self, arguments: &[CallArg<'a>], span: Span) -> Rewriting<Vec<CallArg<'a>>> {
        let rewritten = arguments.iter().map(|argument| match argument {
            CallArg::Pos(value) => Ok(CallArg::Pos(self.expression(value)?)),
            CallArg::Kwarg(name, value) => Ok(CallArg::Kwarg(name, self.expression(value)?)),
            CallArg::PosSplat(_) | CallArg::KwargSplat(_) => Err(TemplateError::refused(
                line(span),
                "arguments with `*` or `**`",
            )),
        });
        rewritten.collect()
    }
}

fn copied<'a>(constant: &Spanned<ast::Const>) -> Expr<'a> {
    let value = constant.value.clone();
    Expr::Const(Spanned::new(ast::Const { value }, constant.span()))
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

/// Applies one of the filters of [`operators`](super::operators) to a value.
fn paid<'a>(filter: &'static str, value: Expr<'a>) -> Expr<'a> {
    if is_number(&value) || (filter == READ && is_short(&value)) {
        return value;
    }
    let span = value.span();
    let applied = ast::Filter {
        name: filter,
        expr: Some(value),
        args: Vec::new(),
    };
    Expr::Filter(Spanned::new(applied, span))
}

fn paid_argument<'a>(argument: CallArg<'a>) -> CallArg<'a> {
    match argument {
        CallArg::Pos(value) => CallArg::Pos(paid(READ, value)),
        other => other,
    }
}

fn is_number(expression: &Expr<'_>) -> bool {
    matches!(expression, Expr::Const(constant) if constant.value.is_number())
}

/// Checks if a value is written in the template and costs next to nothing to compare with.
fn is_short(expression: &Expr<'_>) -> bool {
    let Expr::Const(constant) = expression else {
        return false;
    };
    match constant.value.as_str() {
        Some(text) => text.len() <= SHORT,
        None => !matches!(
            constant.value.kind(),
            minijinja::value::ValueKind::Seq | minijinja::value::ValueKind::Map
        ),
    }
}

fn line(span: Span) -> usize {
    usize::from(span.start_line)
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
