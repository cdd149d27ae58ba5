//! `composite`: several evaluators as one.

mod members;

use std::sync::Arc;

use agentv_core::{
    BoxFuture, Evaluation, Evaluator, EvaluatorError, EvaluatorSpec, Judge, Score, Subject, Verdict,
};
use agentv_syntax::shape::{AMOUNT, EVALUATOR, FILLED};
use agentv_syntax::{Code, Field, Form, Kind, Node, Others, Problem, Record, Shape, Text};

use self::members::{Member, names};
use crate::builder::{Builder, judges_of};
use crate::code_judge::FOLDER;
use crate::error::BuildError;
use crate::options::Options;
use crate::words::{Findings, figure, quoted};

pub(crate) static KIND: Kind = Kind {
    name: "composite",
    aliases: &[],
    doc: "Joins the results of several evaluators into one.",
    options: Record {
        name: "composite",
        fields: &[
            Field {
                name: "evaluators",
                shape: &MEMBERS,
                doc: "The evaluators to join.",
            },
            Field {
                name: "aggregator",
                shape: &AGGREGATOR,
                doc: "How their results become one, the weighted average unless given.",
            },
        ],
        required: &[&["evaluators"]],
        others: Others::Warn,
    },
    shorthand: None,
};

static MEMBERS: Shape = Shape {
    expected: "an array of evaluators with at least one",
    forms: &[Form::List {
        items: &EVALUATOR,
        at_least: 1,
    }],
};

static AGGREGATOR: Shape = Shape {
    expected: "an aggregator (an object with `type`)",
    forms: &[Form::Record(&Record {
        name: "aggregator",
        fields: &[
            Field {
                name: "type",
                shape: &AGGREGATOR_TYPE,
                doc: "`weighted_average`, or who decides: a script (`code_judge`) or a language model (`llm_judge`).",
            },
            Field {
                name: "weights",
                shape: &WEIGHTS,
                doc: "For `weighted_average`: the weight of each evaluator by its name, its own `weight` unless given.",
            },
            Field {
                name: "path",
                shape: &SCRIPT_FILE,
                doc: "For `code_judge`: the script that reads the results as JSON and prints a score.",
            },
            Field {
                name: "cwd",
                shape: &FOLDER,
                doc: "For `code_judge`: the folder to run the script in, relative to the eval file.",
            },
            Field {
                name: "prompt",
                shape: &PROMPT,
                doc: "For `llm_judge`: the prompt or the path of its file, with the results as `{{EVALUATOR_RESULTS_JSON}}`.",
            },
            Field {
                name: "target",
                shape: &FILLED,
                doc: "For `llm_judge`: the target to ask as judge.",
            },
        ],
        required: &[&["type"]],
        others: Others::Warn,
    })],
};

static AGGREGATOR_TYPE: Shape = Shape {
    expected: "weighted_average, code_judge or llm_judge",
    forms: &[Form::Text(Text::OneOf(&[
        "weighted_average",
        "code_judge",
        "llm_judge",
    ]))],
};

static WEIGHTS: Shape = Shape {
    expected: "an object of weights by evaluator name",
    forms: &[Form::Map(&AMOUNT)],
};

static SCRIPT_FILE: Shape = Shape {
    expected: "the path of a script",
    forms: &[Form::Text(Text::File)],
};

static PROMPT: Shape = Shape {
    expected: "a text or the path of a file that holds it",
    forms: &[Form::Text(Text::TextOrFile)],
};

/// A weight for a member that is not there does nothing, which is worth a remark.
pub(crate) fn problem(options: Node<'_>) -> Option<Problem> {
    let weights = options.given("aggregator")?.given("weights")?;
    let members = options.given("evaluators")?.items().map(|member| {
        let text = |node: Node<'_>| node.text().into_owned();
        let short = member.fields().next().map(|(kind, _)| text(kind));
        let kind = member.given("type").map(text).or(short);
        (member.given("name").map(text), kind.unwrap_or_default())
    });
    let names = names(&members.collect::<Vec<_>>());
    let mut keys = weights.fields().map(|(key, _)| key);
    let unknown = keys.find(|key| !names.iter().any(|name| key.is_text(name)))?;
    let message = format!(
        "no evaluator of `evaluators` has the name `{}`, the weight has no effect",
        unknown.text()
    );
    Some(
        Problem::warning(Code::Unused, unknown.span(), message)
            .at("aggregator.weights")
            .hint(format!("their names are {}", names.join(", "))),
    )
}

pub(crate) fn build(
    options: &Options<'_>,
    builder: &Builder,
) -> Result<Arc<dyn Evaluator>, BuildError> {
    let aggregator = options.object("aggregator")?;
    if let Some(aggregator) = &aggregator {
        refuse_judges(aggregator)?;
    }
    let members = members(options, builder)?;
    let own = members.iter().map(Member::weight);
    let mut weights: Vec<f64> = own.collect();
    let given = aggregator.map(|aggregator| aggregator.object("weights"));
    if let Some(given) = given.transpose()?.flatten() {
        for (member, weight) in members.iter().zip(&mut weights) {
            *weight = given.amount(member.name())?.unwrap_or(*weight);
        }
    }
    Ok(Arc::new(Composite { members, weights }))
}

/// The judges that the members ask.
pub(crate) fn judges(options: &Options<'_>) -> Result<Vec<Judge>, BuildError> {
    let members = options.objects("evaluators")?.unwrap_or_default();
    let mut judges = Vec::new();
    for member in members {
        let spec = EvaluatorSpec {
            options: member.values().clone(),
            ..EvaluatorSpec::of_kind(member.required_text("type")?)
        };
        judges.extend(judges_of(&spec)?);
    }
    Ok(judges)
}

/// Only the weighted average needs no one else.
fn refuse_judges(aggregator: &Options<'_>) -> Result<(), BuildError> {
    let judges = [
        ("weighted_average", None),
        (
            "code_judge",
            Some("`composite` evaluators with the aggregator `code_judge`"),
        ),
        (
            "llm_judge",
            Some("`composite` evaluators with the aggregator `llm_judge`"),
        ),
    ];
    match aggregator.one_of("type", &judges)?.flatten() {
        None => Ok(()),
        Some(what) => Err(BuildError::NotRunnable {
            evaluator: aggregator.evaluator().to_owned(),
            what,
        }),
    }
}

fn members(options: &Options<'_>, builder: &Builder) -> Result<Vec<Member>, BuildError> {
    let members = options.objects("evaluators")?.unwrap_or_default();
    if members.is_empty() {
        return Err(options.invalid("evaluators", "expected at least one evaluator"));
    }
    let named = members.iter().map(|member| {
        let name = member.text("name")?.map(str::to_owned);
        Ok((name, member.required_text("type")?.to_owned()))
    });
    let names = names(&named.collect::<Result<Vec<_>, _>>()?);
    let members = members.iter().zip(names);
    members
        .map(|(member, name)| Member::build(member, name, builder))
        .collect()
}

struct Composite {
    members: Vec<Member>,
    /// The weight of each member.
    weights: Vec<f64>,
}

impl Evaluator for Composite {
    fn evaluate<'a>(
        &'a self,
        subject: &'a Subject<'a>,
    ) -> BoxFuture<'a, Result<Evaluation, EvaluatorError>> {
        Box::pin(self.join(subject))
    }
}

impl Composite {
    async fn join(&self, subject: &Subject<'_>) -> Result<Evaluation, EvaluatorError> {
        let mut evaluations = Vec::with_capacity(self.members.len());
        for member in &self.members {
            let evaluation = member.evaluator.evaluate(subject).await;
            evaluations.push(evaluation.map_err(|EvaluatorError(reason)| {
                EvaluatorError(format!("{}: {reason}", quoted(member.name())))
            })?);
        }
        Ok(self.joined(evaluations))
    }

    fn joined(&self, evaluations: Vec<Evaluation>) -> Evaluation {
        let scores = evaluations.iter().map(|evaluation| evaluation.score);
        let score = Score::weighted_mean(scores.zip(self.weights.iter().copied()));
        let members = || self.members.iter().zip(&evaluations);
        let is_failed = members().any(|(member, evaluation)| member.fails_all(evaluation));
        let mut findings = Findings::default();
        for (member, evaluation) in members() {
            findings.add(evaluation.verdict == Verdict::Pass, || {
                let score = figure(evaluation.score.value());
                format!(
                    "{}: {} ({score})",
                    quoted(member.name()),
                    verdict(evaluation)
                )
            });
        }
        let mut joined = findings.evaluation(score);
        if is_failed {
            joined.verdict = Verdict::Fail;
        }
        let results = self.members.iter().zip(evaluations).zip(&self.weights);
        joined.members = results
            .map(|((member, evaluation), weight)| member.result(evaluation, *weight))
            .collect();
        joined
    }
}

fn verdict(evaluation: &Evaluation) -> &'static str {
    match evaluation.verdict {
        Verdict::Pass => "pass",
        Verdict::Borderline => "borderline",
        Verdict::Fail => "fail",
    }
}
