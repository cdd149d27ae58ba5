//! The evaluator that runs a user's code.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use agentv_core::{BoxFuture, Evaluation, Evaluator, EvaluatorError, Extra, Subject};
use agentv_syntax::shape::{FILLED, FRACTION, OBJECT};
use agentv_syntax::{Code, Field, Form, Node, Problem, Shape, Text};
use serde_json::{Value, json};
use thiserror::Error;

use super::result::{self, ResultError};
use super::runtime::Runtime;
use crate::builder::Builder;
use crate::error::{BuildError, could_not_judge};
use crate::files;
use crate::options::Options;
use crate::script::{Script, ScriptError, TIMEOUT};

/// The options of a check in a programming language.
pub(crate) const FIELDS: &[Field] = &[
    Field {
        name: "code",
        shape: &FILLED,
        doc: "The code: an expression, or several lines that return a value. It has `output`, the answer, and `context` with `prompt`, `vars`, `test`, `config` and `providerResponse`.",
    },
    Field {
        name: "file",
        shape: &FILE,
        doc: "A file with the function, in place of `code`. It is called with `output` and `context`.",
    },
    Field {
        name: "function",
        shape: &FILLED,
        doc: "The name of the function in `file` (default: the default export in JavaScript, `get_assert` in Python).",
    },
    Field {
        name: "threshold",
        shape: &FRACTION,
        doc: "The lowest number that passes if the code returns a number (default: any above 0).",
    },
    Field {
        name: "config",
        shape: &OBJECT,
        doc: "Values that the code gets as `context.config`.",
    },
    TIMEOUT,
];

/// The groups of options of which one is needed.
pub(crate) const REQUIRED: &[&[&str]] = &[&["code", "file"]];

static FILE: Shape = Shape {
    expected: "the path of a file",
    forms: &[Form::Text(Text::File)],
};

/// Refuses code in two places.
pub(crate) fn problem(options: Node<'_>) -> Option<Problem> {
    options.given("code")?;
    let file = options.given("file")?;
    let message = "`code` and `file` exclude each other";
    Some(Problem::error(Code::WrongType, file.span(), message).at("file"))
}

/// Returns the file that holds the code.
pub(crate) fn files(options: &Options<'_>, root: &Path) -> Vec<PathBuf> {
    let file = options
        .get("file")
        .and_then(|file| files::named(file, root));
    file.into_iter().collect()
}

pub(crate) fn build(
    options: &Options<'_>,
    builder: &Builder,
    runtime: &'static Runtime,
) -> Result<Arc<dyn Evaluator>, BuildError> {
    let context = builder.context();
    let file = match options.text("file")? {
        Some(path) => {
            let found = files::find(path, context);
            Some(found.map_err(|problem| options.invalid("file", problem))?)
        }
        None => None,
    };
    let words = runtime.command.iter().copied().chain([runtime.source]);
    let config = options.get("config").cloned();
    Ok(Arc::new(LanguageCheck {
        script: Script::of_program(words, options, builder, runtime.noun)?,
        code: options.text("code")?.map(str::to_owned),
        file,
        function: options.text("function")?.map(str::to_owned),
        threshold: options.fraction("threshold")?,
        config,
        runtime,
    }))
}

/// The reason why code could not grade.
#[derive(Debug, Error)]
enum Failure {
    #[error(transparent)]
    Script(#[from] ScriptError),
    #[error(transparent)]
    Result(#[from] ResultError),
}

struct LanguageCheck {
    script: Script,
    code: Option<String>,
    file: Option<PathBuf>,
    function: Option<String>,
    threshold: Option<f64>,
    config: Option<Value>,
    runtime: &'static Runtime,
}

impl Evaluator for LanguageCheck {
    fn evaluate<'a>(
        &'a self,
        subject: &'a Subject<'a>,
    ) -> BoxFuture<'a, Result<Evaluation, EvaluatorError>> {
        Box::pin(async { self.judge(subject).await.map_err(could_not_judge) })
    }
}

impl LanguageCheck {
    async fn judge(&self, subject: &Subject<'_>) -> Result<Evaluation, Failure> {
        let turn = self.script.turn().await?;
        let printed = turn.run(self.request(subject), &[]).await?;
        let limits = self.runtime.limits_objects;
        Ok(result::read(&printed.stdout, self.threshold, limits)?)
    }

    fn request(&self, subject: &Subject<'_>) -> Extra {
        let fields = [
            ("code", json!(self.code)),
            ("file", json!(self.file)),
            ("function", json!(self.function)),
            ("output", json!(subject.answer)),
            ("context", self.context(subject)),
        ];
        let given = fields.into_iter().filter(|(_, value)| !value.is_null());
        given
            .map(|(name, value)| (name.to_owned(), value))
            .collect()
    }

    /// Returns the case as the code sees it.
    fn context(&self, subject: &Subject<'_>) -> Value {
        let case = subject.case;
        let extra = |name: &str| case.extra.get(name).cloned();
        let vars = extra("vars").unwrap_or_else(|| Value::Object(case.variables.clone()));
        let trace = subject.trace;
        let mut context = json!({
            "prompt": subject.prompt.question,
            "vars": vars,
            "test": {
                "vars": vars,
                "id": case.id,
                "description": extra("description"),
                "metadata": extra("metadata"),
            },
            "providerResponse": {
                "output": subject.answer,
                "tokenUsage": trace.token_usage,
                "cost": trace.cost_usd,
                "messages": subject.transcript.output_messages,
            },
        });
        for (name, value) in [
            ("config", self.config.clone()),
            ("metadata", extra("metadata")),
        ] {
            if let Some(value) = value {
                context[name] = value;
            }
        }
        context
    }
}
