//! `code_judge`: a user's script grades the answer.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use agentv_core::{
    BoxFuture, Effort, Evaluation, Evaluator, EvaluatorError, Extra, Judge, Subject,
};
use agentv_syntax::shape::COUNT;
use agentv_syntax::{Field, Form, Kind, Others, Record, Shape, Text};
use serde_json::Value;
use thiserror::Error;

use crate::builder::Builder;
use crate::error::{BuildError, could_not_judge};
use crate::files;
use crate::kind::{EvaluatorKind, Facts};
use crate::options::Options;
use crate::proxy::{self, ProxyError, USUAL_MOST_CALLS};
use crate::registry::{MIN_SCORE, NEGATE, TURN};
use crate::script::{
    self, FOLDER, Inside, PASS_ENV, Protocol, SANDBOX, SCRIPT, Script, ScriptError, TIMEOUT, input,
};
use crate::workspace::{WorkspaceGone, workspace_of};

pub(crate) static KIND: EvaluatorKind = EvaluatorKind {
    kind: Kind {
        name: "code_judge",
        aliases: &[],
        doc: "Runs a script that reads the case and the answer as JSON and prints a score. Other fields are passed to it as `config`.",
        options: Record {
            name: "code_judge",
            fields: &[
                Field {
                    name: "script",
                    shape: &SCRIPT,
                    doc: "The command: an array of program and arguments, or a string for the shell.",
                },
                Field {
                    name: "cwd",
                    shape: &FOLDER,
                    doc: "The folder to run the script in, relative to the eval file (default: the folder of the eval file). If the trial has a workspace, the script runs in it, and its own files are found from this folder.",
                },
                TIMEOUT,
                Field {
                    name: "target",
                    shape: &ACCESS,
                    doc: "True, or an object with `max_calls`, to let the script ask the targets of the run through a local proxy (default: false).",
                },
                PASS_ENV,
                SANDBOX,
                Field {
                    name: "protocol",
                    shape: &PROTOCOL,
                    doc: "The names that the script reads and prints: `agentv-2`, or `agentv-4` for scripts written for AgentV 4 (default: `agentv-2`).",
                },
            ],
            required: &[&["script"]],
            others: Others::Keep,
        },
        shorthand: Some("script"),
    },
    example: "\
- type: code_judge
  script: [python, judge.py]
  cwd: scripts
  timeout_seconds: 5
  target: {max_calls: 3}
  limit: 5
- {type: code_judge, script: ./judge.sh --fast, target: true, protocol: agentv-4}
- {type: code_judge, script: [./judge.sh], pass_env: [JUDGE_KEY], sandbox: none}
- code_judge: [python, judge.py]
",
    facts: Facts {
        effort,
        judges,
        runs_commands: |_| true,
        needs_workspace: |_| true,
        files,
        ..Facts::CHECK
    },
    build,
};

static ACCESS: Shape = Shape {
    expected: "true, false, or an object with `max_calls`",
    forms: &[
        Form::Bool,
        Form::Record(&Record {
            name: "target access",
            fields: &[Field {
                name: "max_calls",
                shape: &COUNT,
                doc: "The maximum number of calls that the script can make (default: 50).",
            }],
            required: &[],
            others: Others::Warn,
        }),
    ],
};

static PROTOCOL: Shape = Shape {
    expected: "agentv-2 or agentv-4",
    forms: &[Form::Text(Text::OneOf(&["agentv-2", "agentv-4"]))],
};

fn build(options: &Options<'_>, builder: &Builder) -> Result<Arc<dyn Evaluator>, BuildError> {
    Ok(Arc::new(CodeJudge {
        script: Script::of(options, builder, "script")?,
        config: config(options),
        root: builder.context().root.clone(),
        most_calls: most_calls(options)?,
        protocol: options
            .one_of("protocol", Protocol::NAMES)?
            .unwrap_or_default(),
    }))
}

/// Returns the fields that are not options of this kind.
fn config(options: &Options<'_>) -> Extra {
    let is_own = |name: &str| {
        KIND.kind.options.field(name).is_some() || [MIN_SCORE, NEGATE, TURN].contains(&name)
    };
    let others = options.values().iter().filter(|(name, _)| !is_own(name));
    others
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect()
}

/// Returns the files that the script's command and settings name.
fn files(options: &Options<'_>, root: &Path) -> Vec<PathBuf> {
    let mut files = script::files(options, root);
    files::collect(&Value::Object(config(options)), root, &mut files);
    files
}

/// Counts the script as a judge if it may ask one.
fn effort(options: &Options<'_>) -> Effort {
    match options.get("target") {
        None | Some(Value::Bool(false)) => Effort::Script,
        Some(_) => Effort::Judge,
    }
}

/// Returns the judge that is asked if a call names no target.
fn judges(options: &Options<'_>) -> Result<Vec<Judge>, BuildError> {
    let asks = most_calls(options)?.is_some();
    Ok(asks.then_some(Judge::Usual).into_iter().collect())
}

/// Returns the limit of calls to targets, or `None` if the script may not ask them.
fn most_calls(options: &Options<'_>) -> Result<Option<u64>, BuildError> {
    match options.get("target") {
        None | Some(Value::Bool(false)) => Ok(None),
        Some(Value::Bool(true)) => Ok(Some(USUAL_MOST_CALLS)),
        Some(_) => {
            let access = options.object("target")?;
            let most = access.map(|access| access.count("max_calls"));
            let most = most.transpose()?.flatten();
            Ok(Some(most.unwrap_or(USUAL_MOST_CALLS)))
        }
    }
}

/// The reason why a script could not grade.
#[derive(Debug, Error)]
enum Failure {
    #[error(transparent)]
    Script(#[from] ScriptError),
    #[error(transparent)]
    Proxy(#[from] ProxyError),
    #[error(transparent)]
    Gone(#[from] WorkspaceGone),
}

/// A script that grades.
struct CodeJudge {
    script: Script,
    /// The fields that are not options of this kind.
    config: Extra,
    root: PathBuf,
    /// The limit of calls to targets, if the script may ask them.
    most_calls: Option<u64>,
    protocol: Protocol,
}

impl Evaluator for CodeJudge {
    fn evaluate<'a>(
        &'a self,
        subject: &'a Subject<'a>,
    ) -> BoxFuture<'a, Result<Evaluation, EvaluatorError>> {
        Box::pin(async { self.judge(subject).await.map_err(could_not_judge) })
    }
}

impl CodeJudge {
    async fn judge(&self, subject: &Subject<'_>) -> Result<Evaluation, Failure> {
        let workspace = workspace_of(subject)?;
        let turn = self.script.turn().await?;
        let turn = match workspace {
            Some(workspace) => turn.inside(Inside::of(subject, workspace)),
            None => turn,
        };
        let input = self.protocol.input(subject, &self.root);
        let input = input::configured(input, &self.config);
        let printed = match self.most_calls {
            None => turn.run(input, &[]).await?,
            Some(most) => {
                let proxy = proxy::open(subject.judging, most).await?;
                let variables = proxy.variables();
                let turn = turn.reaching(proxy.port());
                tokio::select! {
                    printed = turn.run(input, &variables) => printed?,
                    never = proxy.serve() => match never {},
                }
            }
        };
        let read = self.protocol.read(&printed.stdout);
        Ok(read.map_err(|problem| printed.unusable(problem))?)
    }
}
