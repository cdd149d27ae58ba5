//! The names that a grading script reads and prints.

use std::path::Path;

use agentv_core::{Evaluation, Extra, Subject};
use serde_json::{Value, json};

use super::output::OutputError;
use super::{input, output};

/// The names that a grading script reads and prints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Protocol {
    /// Ours.
    #[default]
    Agentv2,
    /// Those of AgentV 4: `output`, `input`, `expected_output`, `criteria`, and `assertions` back.
    Agentv4,
}

impl Protocol {
    pub(crate) const NAMES: &[(&str, Protocol)] = &[
        ("agentv-2", Protocol::Agentv2),
        ("agentv-4", Protocol::Agentv4),
    ];

    /// Returns the input of the script.
    pub(crate) fn input(self, subject: &Subject<'_>, root: &Path) -> Extra {
        let ours = input::of(subject, root);
        match self {
            Protocol::Agentv2 => ours,
            Protocol::Agentv4 => with_later_names(ours, subject),
        }
    }

    /// Reads the evaluation that the script printed.
    ///
    /// # Errors
    /// Returns the reason why the output is not a grade.
    pub(crate) fn read(self, stdout: &str) -> Result<Evaluation, OutputError> {
        match self {
            Protocol::Agentv2 => output::read(stdout),
            Protocol::Agentv4 => output::read_assertions(stdout),
        }
    }
}

/// Adds the names of AgentV 4 to the input of a script. Missing values are null, as they are there.
fn with_later_names(mut input: Extra, subject: &Subject<'_>) -> Extra {
    let case = subject.case;
    let messages = |name: &str| input.get(name).cloned().unwrap_or_else(|| json!([]));
    let (output, expected) = (messages("output_messages"), messages("expected_messages"));
    let asked = messages("input_messages");
    let trace = subject.trace;
    let summary = json!({
        "event_count": trace.event_count,
        "tool_calls": trace.tool_calls_by_name,
        "error_count": trace.error_count,
    });
    let usage = serde_json::to_value(trace.token_usage).unwrap_or_default();
    for (name, value) in [
        (
            "criteria",
            json!(case.expected_outcome.clone().unwrap_or_default()),
        ),
        ("input", asked),
        ("expected_output", expected),
        ("output", json!(subject.answer)),
        ("messages", output.clone()),
        (
            "metadata",
            case.extra.get("metadata").cloned().unwrap_or_default(),
        ),
        (
            "trace",
            json!({"messages": output, "event_count": trace.event_count}),
        ),
        ("trace_summary", summary),
        ("token_usage", usage),
        ("cost_usd", json!(trace.cost_usd)),
        ("duration_ms", json!(trace.duration_ms)),
    ] {
        input.insert(name.to_owned(), value);
    }
    for name in ["start_time", "end_time", "file_changes", "workspace_path"] {
        input.entry(name).or_insert(Value::Null);
    }
    input
}
