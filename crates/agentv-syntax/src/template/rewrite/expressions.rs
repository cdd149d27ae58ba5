//! The rewriting of expressions.

use minijinja::machinery::Span;
use minijinja::machinery::ast::{self, BinOpKind, CallArg, CompareOpKind, Expr, Spanned};

use super::super::error::TemplateError;
use super::super::names;
use super::super::operators::{COPY, ITEM, LIST, NUMBER, READ};
use super::super::tags::TAGGED;
use super::pay::{is_number, is_short, paid, paid_argument};
use super::rewriter::{Rewriter, Rewriting, line};

impl<'a> Rewriter<'a> {
    pub(super) fn optional(
        &mut self,
        expression: &Option<Expr<'a>>,
    ) -> Rewriting<Option<Expr<'a>>> {
        let expression = expression.as_ref();
        expression.map(|inner| self.expression(inner)).transpose()
    }

    pub(super) fn expressions(&mut self, expressions: &[Expr<'a>]) -> Rewriting<Vec<Expr<'a>>> {
        let expressions = expressions.iter();
        expressions.map(|inner| self.expression(inner)).collect()
    }

    /// Rewrites a value that is written into the text. Text from others gets tags, each part of it its
    /// own.
    pub(super) fn emitted(&mut self, expression: &Expr<'a>) -> Rewriting<Expr<'a>> {
        match expression {
            Expr::BinOp(both) if matches!(both.op, BinOpKind::Concat) => {
                let rewritten = ast::BinOp {
                    op: both.op,
                    left: paid(COPY, self.emitted(&both.left)?),
                    right: paid(COPY, self.emitted(&both.right)?),
                };
                Ok(Expr::BinOp(Spanned::new(rewritten, both.span())))
            }
            Expr::IfExpr(choice) => {
                let otherwise = choice.false_expr.as_ref();
                let rewritten = ast::IfExpr {
                    test_expr: self.expression(&choice.test_expr)?,
                    true_expr: self.emitted(&choice.true_expr)?,
                    false_expr: otherwise.map(|inner| self.emitted(inner)).transpose()?,
                };
                Ok(Expr::IfExpr(Spanned::new(rewritten, choice.span())))
            }
            _ => {
                let value = self.expression(expression)?;
                Ok(match self.origins.get(expression) {
                    Some(variable) => tagged(value, variable),
                    None => value,
                })
            }
        }
    }

    pub(super) fn expression(&mut self, expression: &Expr<'a>) -> Rewriting<Expr<'a>> {
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
        names::check_filter(filter.name, &filter.args, line(filter.span()))?;
        let rewritten = ast::Filter {
            name: filter.name,
            expr: self.optional(&filter.expr)?,
            args: self.arguments(&filter.args, filter.span())?,
        };
        Ok(Expr::Filter(Spanned::new(rewritten, filter.span())))
    }

    fn test(&mut self, test: &Spanned<ast::Test<'a>>) -> Rewriting<Expr<'a>> {
        names::check_test(test.name, line(test.span()))?;
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
        names::check_call(&call.expr, line(span))?;
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

/// Puts text between the tags of a variable.
fn tagged<'a>(value: Expr<'a>, variable: &str) -> Expr<'a> {
    let span = value.span();
    let variable = ast::Const {
        value: variable.into(),
    };
    let applied = ast::Filter {
        name: TAGGED,
        expr: Some(value),
        args: vec![CallArg::Pos(Expr::Const(Spanned::new(variable, span)))],
    };
    Expr::Filter(Spanned::new(applied, span))
}
