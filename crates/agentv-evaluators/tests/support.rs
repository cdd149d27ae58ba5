//! Trials to judge, and shortcuts for judging them.

use std::path::Path;

use agentv_core::{
    EvalCase, Evaluation, EvaluatorError, EvaluatorSpec, Judges, Judging, Message, Prompt, Subject,
    TraceSummary, Transcript,
};
use agentv_evaluators::{BuildContext, BuildError, Builder};
use agentv_process::Runner;
use serde_json::{Value, json};

/// A transcript and its case.
pub(crate) struct Trial {
    pub(crate) case: EvalCase,
    pub(crate) transcript: Transcript,
}

impl Trial {
    pub(crate) fn answered(answer: &str) -> Trial {
        let case = json!({
            "id": "a",
            "dataset": "d",
            "input_messages": [{"role": "user", "content": "?"}],
        });
        Trial {
            case: serde_json::from_value(case).unwrap(),
            transcript: Transcript::of_text(answer),
        }
    }

    /// Sets the expected content.
    pub(crate) fn expecting(mut self, content: Value) -> Trial {
        let message = json!({"role": "assistant", "content": content});
        self.case.expected_messages = vec![serde_json::from_value(message).unwrap()];
        self
    }

    /// Adds tool calls before the answer.
    pub(crate) fn calling(mut self, calls: Value) -> Trial {
        let message = json!({"role": "assistant", "tool_calls": calls});
        let message: Message = serde_json::from_value(message).unwrap();
        self.transcript.output_messages.insert(0, message);
        self
    }

    pub(crate) fn judge(&self, options: Value) -> Result<Evaluation, EvaluatorError> {
        let builder = Builder::new(BuildContext::new("."));
        self.judge_with(&builder, options).unwrap()
    }

    /// Returns the evaluation, which must succeed.
    pub(crate) fn evaluation(&self, options: Value) -> Evaluation {
        self.judge(options).unwrap()
    }

    pub(crate) fn judge_with(
        &self,
        builder: &Builder,
        options: Value,
    ) -> Result<Result<Evaluation, EvaluatorError>, BuildError> {
        self.judge_asking(builder, options, None)
    }

    /// Judges the trial with judges to ask.
    pub(crate) fn judge_asking(
        &self,
        builder: &Builder,
        options: Value,
        judges: Option<&dyn Judges>,
    ) -> Result<Result<Evaluation, EvaluatorError>, BuildError> {
        let evaluator = builder.build(&spec(options))?;
        let answer = self.transcript.answer();
        let subject = Subject {
            folder: std::path::Path::new("."),
            workspace: None,
            sandbox: None,
            further_changes: &[],
            workspace_is_gone: false,
            spares: false,
            rivals: &[],
            case: &self.case,
            prompt: &Prompt::of(&self.case),
            transcript: &self.transcript,
            answer: &answer,
            trace: &TraceSummary::of(&self.transcript, None),
            judging: judges.map(Judging),
        };
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build();
        Ok(runtime.unwrap().block_on(evaluator.evaluate(&subject)))
    }
}

/// Returns the context of a project whose scripts run without a supervisor, since a test program is
/// none.
pub(crate) fn context(root: &Path) -> BuildContext {
    let mut context = BuildContext::new(root);
    context.runner = Runner::in_groups();
    context
}

/// Returns a spec as in a resolved case, named after its type.
pub(crate) fn spec(mut options: Value) -> EvaluatorSpec {
    if options.get("name").is_none() {
        options["name"] = options["type"].clone();
    }
    serde_json::from_value(options).unwrap()
}

/// Returns the error of an evaluator that cannot be built.
pub(crate) fn refusal(options: Value) -> String {
    let built = agentv_evaluators::build(&spec(options), &BuildContext::new("."));
    built.err().unwrap().to_string()
}

/// Returns the evaluation of an answer alone.
pub(crate) fn judge(answer: &str, options: Value) -> Evaluation {
    Trial::answered(answer).evaluation(options)
}

/// Returns the score, the hits and the misses.
pub(crate) fn summary(evaluation: &Evaluation) -> (f64, Vec<&str>, Vec<&str>) {
    (
        evaluation.score.value(),
        evaluation.hits.iter().map(String::as_str).collect(),
        evaluation.misses.iter().map(String::as_str).collect(),
    )
}
