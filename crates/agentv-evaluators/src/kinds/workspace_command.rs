//! `workspace_command`: a command in the workspace of the trial succeeds.

use std::sync::Arc;

use agentv_core::{BoxFuture, Effort, Evaluation, Evaluator, EvaluatorError, Subject};
use agentv_syntax::shape::TEXT;
use agentv_syntax::{Field, Form, Kind, Others, Record, Shape};
use thiserror::Error;

use crate::builder::Builder;
use crate::error::{BuildError, could_not_judge};
use crate::kind::{EvaluatorKind, Facts};
use crate::options::Options;
use crate::script::{CommandEnd, Inside, PASS_ENV, SANDBOX, Script, ScriptError, TIMEOUT};
use crate::words::quoted;
use crate::workspace::{WorkspaceGone, workspace_of};

pub(crate) static KIND: EvaluatorKind = EvaluatorKind {
    kind: Kind {
        name: "workspace_command",
        aliases: &[],
        doc: "Runs a command in the workspace of the trial, after the target has ended. Exit code 0 scores 1, any other 0. The command runs in the sandbox of the target, if it has one, and without your environment. `AGENTV_EVAL_DIR` is the folder of the eval file.",
        options: Record {
            name: "workspace_command",
            fields: &[
                Field {
                    name: "command",
                    shape: &WORDS,
                    doc: "The program and its arguments, run without a shell. Relative paths start in the workspace.",
                },
                TIMEOUT,
                PASS_ENV,
                SANDBOX,
            ],
            required: &[&["command"]],
            others: Others::Warn,
        },
        shorthand: Some("command"),
    },
    example: "\
- type: workspace_command
  command: [npm, test]
  timeout_seconds: 120
  pass_env: [DATABASE_URL]
  sandbox: none
- workspace_command: [sh, -c, 'python3 \"$AGENTV_EVAL_DIR/check.py\"']
",
    facts: Facts {
        effort: |_| Effort::Script,
        runs_commands: |_| true,
        needs_workspace: |_| true,
        files: crate::script::files_beside_eval,
        ..Facts::CHECK
    },
    build,
};

static WORDS: Shape = Shape {
    expected: "a command (an array of strings)",
    forms: &[Form::List {
        items: &TEXT,
        at_least: 1,
    }],
};

fn build(options: &Options<'_>, builder: &Builder) -> Result<Arc<dyn Evaluator>, BuildError> {
    Ok(Arc::new(WorkspaceCommand {
        shown: options.texts("command")?.unwrap_or_default().join(" "),
        command: Script::of_words("command", options, builder, "command")?,
    }))
}

/// The reason why the command could not grade.
#[derive(Debug, Error)]
enum Failure {
    #[error(transparent)]
    Script(#[from] ScriptError),
    #[error(transparent)]
    Gone(#[from] WorkspaceGone),
    #[error(
        "the trial has no workspace to run the command in; add `workspace` to the case or its dataset"
    )]
    NoWorkspace,
}

/// A command that must succeed in the workspace.
struct WorkspaceCommand {
    command: Script,
    shown: String,
}

impl Evaluator for WorkspaceCommand {
    fn evaluate<'a>(
        &'a self,
        subject: &'a Subject<'a>,
    ) -> BoxFuture<'a, Result<Evaluation, EvaluatorError>> {
        Box::pin(async { self.judge(subject).await.map_err(could_not_judge) })
    }
}

impl WorkspaceCommand {
    async fn judge(&self, subject: &Subject<'_>) -> Result<Evaluation, Failure> {
        let workspace = workspace_of(subject)?.ok_or(Failure::NoWorkspace)?;
        let turn = self.command.turn().await?;
        let turn = turn.inside(Inside::of(subject, workspace));
        let CommandEnd { status, tail } = turn.end().await?;
        let command = quoted(&self.shown);
        Ok(if status.success() {
            Evaluation::check(true, format!("{command} succeeded"))
        } else {
            let mut evaluation =
                Evaluation::check(false, format!("{command} failed with {status}"));
            let output = tail.trim_start_matches("; ").to_owned();
            evaluation.reasoning = Some(output).filter(|output| !output.is_empty());
            evaluation
        })
    }
}
