//! The shapes of eval files, sidecars and `.agentv/config.yaml`.

use agentv_core::{DependencyFailure, KeepWorkspace, Role, TurnFailure};
use agentv_syntax::rubric::RUBRICS;
use agentv_syntax::shape::{
    AMOUNT, ANY, EVALUATORS, FILLED, FRACTION, Field, Form, Others, POSITIVE, Record, Shape, TEXT,
    TEXTS, Text,
};

/// Declares fields, one per line: `name: SHAPE, "its purpose";`
macro_rules! fields {
    ($($name:literal: $shape:expr, $doc:literal;)+) => {
        &[$(Field { name: $name, shape: &$shape, doc: $doc },)+]
    };
}

/// The content of a suite.
pub static SUITE: Shape = Shape {
    expected: "a suite (a mapping with `evalcases`)",
    forms: &[Form::Record(&SUITE_FIELDS)],
};

/// The content of a sidecar.
pub static SIDECAR: Shape = Shape {
    expected: "dataset-level fields (a mapping)",
    forms: &[Form::Record(&SIDECAR_FIELDS)],
};

/// The content of `.agentv/config.yaml`.
pub static CONFIG: Shape = Shape {
    expected: "project settings (a mapping)",
    forms: &[Form::Record(&CONFIG_FIELDS)],
};

/// One case, of either kind.
pub static CASE: Shape = Shape {
    expected: "a case (an object)",
    forms: &[Form::Record(&CASE_FIELDS), Form::Record(&ROW_FIELDS)],
};

/// The dataset-level fields, the same in a suite and in a sidecar.
macro_rules! dataset_level {
    ($name:literal, required: $required:expr, evalcases: $cases:expr, $doc:literal) => {
        Record {
            name: $name,
            others: Others::Keep,
            required: $required,
            fields: fields! {
                "$schema": TEXT, "The version of the format, `agentv-eval-v2`.";
                "description": TEXT, "A description of the dataset.";
                "dataset": FILLED, "The name of the dataset (default: the file name without its extension).";
                "execution": EXECUTION, "Settings for running every case; a case can override them.";
                "target": FILLED, "Older spelling of `execution.target`.";
                "evaluator": EVALUATOR_TYPE, "The only evaluator of cases that name none (default: `llm_judge`).";
                "evaluators": EVALUATORS, "The evaluators of cases that name none.";
                "pass_threshold": FRACTION, "The lowest score that passes, for cases that set none (default: 0.8).";
                "workspace": WORKSPACE, "The private folder that each trial works in; a case can override each of its fields.";
                "prompt": TEXT_OR_FILE, "A template for the input of each row of a JSONL or CSV file: a text or a file. It uses the keys of the row, or those of `input` for AgentMark rows.";
                "fields": FIELD_MAP, "For a JSONL or CSV file: the fields of a case, each with the name of a field of the row or a template that uses its fields.";
                "evalcases": $cases, $doc;
            },
        }
    };
}

static SUITE_FIELDS: Record = dataset_level!(
    "suite",
    required: &[&["evalcases"]],
    evalcases: CASES,
    "The cases."
);

/// The record that a suite's header is compared with: its cases are read one by one, after it.
pub(crate) static SUITE_HEADER: Record = dataset_level!(
    "suite",
    required: &[&["evalcases"]],
    evalcases: CASE_LIST,
    "The cases."
);

pub(crate) static SIDECAR_FIELDS: Record = dataset_level!(
    "sidecar",
    required: &[],
    evalcases: ANY,
    "Cases; a sidecar that has them is also a suite."
);

static CONFIG_FIELDS: Record = Record {
    name: "project settings",
    others: Others::Warn,
    required: &[],
    fields: fields! {
        "$schema": TEXT, "The version of the format, `agentv-config-v2`.";
        "guideline_patterns": TEXTS, "Globs of the files whose text is put into the guidelines block of the prompt.";
        "pass_threshold": FRACTION, "The lowest score that passes, if neither a case nor its dataset sets one (default: 0.8).";
        "judge_target": FILLED, "The target that judges answers, if neither an evaluator, `--judge` nor the target names one (default: the target itself).";
    },
};

/// The fields of an ordinary case.
pub(crate) static CASE_FIELDS: Record = Record {
    name: "case",
    others: Others::Keep,
    required: &[
        &["id"],
        &["expected_outcome", "outcome"],
        &["input", "input_messages"],
    ],
    fields: fields! {
        "id": FILLED, "Unique within the file.";
        "conversation_id": TEXT, "Groups cases that are not independent of each other.";
        "expected_outcome": TEXT, "A description of what a good answer achieves.";
        "outcome": TEXT, "Shorter spelling of `expected_outcome`.";
        "input": INPUT, "The question to the target: a text, or messages.";
        "input_messages": MESSAGES, "Other spelling of `input`, messages only; used when both are given.";
        "turns": TURNS, "Further turns of the conversation. Each is asked after the answer to the one before it.";
        "on_turn_failure": TURN_FAILURE, "The effect if the answer to a turn does not pass: `continue`, or `stop` (no further turn is asked, and their evaluators score 0; default: `continue`).";
        "expected_output": EXPECTED_OUTPUT, "An example of a good answer: a text, structured data, or messages.";
        "expected_messages": EXPECTED_MESSAGES, "Other spelling of `expected_output`, messages only; used when both are given.";
        "execution": EXECUTION, "Settings for running the case, merged key by key over those of the dataset.";
        "evaluator": EVALUATOR_TYPE, "The only evaluator of the case, with its defaults.";
        "evaluators": EVALUATORS, "The evaluators that grade the answer.";
        "pass_threshold": FRACTION, "The lowest score that passes, from 0 to 1 (default: that of the dataset).";
        "rubrics": RUBRICS, "A checklist for the answer, graded before `evaluators`.";
        "workspace": WORKSPACE, "The private folder that each trial works in, merged key by key over that of the dataset.";
        "depends_on": TEXTS, "The ids of cases of the same file. Their trials end before those of this case begin.";
        "on_dependency_failure": DEPENDENCY_FAILURE, "The effect if one of those errored: `skip` or `fail` (the target is not asked, and the trial is an error), or `run` (default: `skip`).";
        "candidate_answer": ANY, "An answer that a person has graded, for `agentv judge calibrate`.";
        "output_messages": ANY, "The same answer as messages, with every turn and tool call.";
        "human_score": ANY, "The person's score of the answer, from 0 to 1.";
        "human_verdict": ANY, "The person's verdict: `pass`, `borderline` or `fail`.";
    },
};

/// The fields of a case that something else than its outcome grades.
pub(crate) static GRADED_CASE_FIELDS: Record = Record {
    name: CASE_FIELDS.name,
    others: CASE_FIELDS.others,
    required: &[&["id"], &["input", "input_messages"]],
    fields: CASE_FIELDS.fields,
};

/// The fields of a case that gets an id from its input.
pub(crate) static NAMELESS_CASE_FIELDS: Record = Record {
    name: CASE_FIELDS.name,
    others: CASE_FIELDS.others,
    required: &[
        &["expected_outcome", "outcome"],
        &["input", "input_messages"],
    ],
    fields: CASE_FIELDS.fields,
};

/// The fields of a case that gets an id from its input, and that something else than its outcome grades.
pub(crate) static NAMELESS_GRADED_CASE_FIELDS: Record = Record {
    name: CASE_FIELDS.name,
    others: CASE_FIELDS.others,
    required: &[&["input", "input_messages"]],
    fields: CASE_FIELDS.fields,
};

/// The fields of an AgentMark row: a case whose `input` is an object.
pub(crate) static ROW_FIELDS: Record = Record {
    name: "AgentMark row",
    others: Others::Keep,
    required: &[&["input"]],
    fields: fields! {
        "id": FILLED, "Unique within the file (default: derived from `input`).";
        "conversation_id": TEXT, "Groups cases that are not independent of each other.";
        "expected_outcome": TEXT, "A description of what a good answer achieves.";
        "outcome": TEXT, "Shorter spelling of `expected_outcome`.";
        "input": ROW_INPUT, "`userMessage`, and variables for templates.";
        "expected_output": EXPECTED_OUTPUT, "An example of a good answer.";
        "expected_messages": EXPECTED_MESSAGES, "Other spelling of `expected_output`, messages only; used when both are given.";
        "execution": EXECUTION, "Settings for running the case, merged key by key over those of the dataset.";
        "evaluator": EVALUATOR_TYPE, "The only evaluator of the case, with its defaults.";
        "evaluators": EVALUATORS, "The evaluators that grade the answer.";
        "pass_threshold": FRACTION, "The lowest score that passes, from 0 to 1 (default: that of the dataset).";
        "rubrics": RUBRICS, "A checklist for the answer, graded before `evaluators`.";
        "workspace": WORKSPACE, "The private folder that each trial works in, merged key by key over that of the dataset.";
        "depends_on": TEXTS, "The ids of cases of the same file. Their trials end before those of this case begin.";
        "on_dependency_failure": DEPENDENCY_FAILURE, "The effect if one of those errored: `skip` or `fail` (the target is not asked, and the trial is an error), or `run` (default: `skip`).";
        "candidate_answer": ANY, "An answer that a person has graded, for `agentv judge calibrate`.";
        "output_messages": ANY, "The same answer as messages, with every turn and tool call.";
        "human_score": ANY, "The person's score of the answer, from 0 to 1.";
        "human_verdict": ANY, "The person's verdict: `pass`, `borderline` or `fail`.";
    },
};

static CASES: Shape = Shape {
    expected: "an array of cases",
    forms: &[Form::List {
        items: &CASE,
        at_least: 1,
    }],
};

static CASE_LIST: Shape = Shape {
    expected: "an array of cases",
    forms: &[Form::List {
        items: &ANY,
        at_least: 0,
    }],
};

static INPUT: Shape = Shape {
    expected: "a string, an array of messages, or an object with `userMessage`",
    forms: &[
        Form::Text(Text::Any),
        Form::List {
            items: &MESSAGE,
            at_least: 1,
        },
    ],
};

static TURNS: Shape = Shape {
    expected: "an array of turns",
    forms: &[Form::List {
        items: &TURN,
        at_least: 0,
    }],
};

static TURN: Shape = Shape {
    expected: "a turn (an object with `input`)",
    forms: &[Form::Record(&Record {
        name: "turn",
        others: Others::Warn,
        required: &[&["input"]],
        fields: fields! {
            "input": INPUT, "The next question: a text, or messages.";
            "expected_output": TEXT, "An example of a good answer to it.";
        },
    })],
};

static TURN_FAILURE: Shape = Shape {
    expected: "`continue` or `stop`",
    forms: &[Form::Text(Text::OneOf(TurnFailure::NAMES))],
};

static DEPENDENCY_FAILURE: Shape = Shape {
    expected: "`skip`, `fail` or `run`",
    forms: &[Form::Text(Text::OneOf(DependencyFailure::NAMES))],
};

static ROW_INPUT: Shape = Shape {
    expected: "an object with `userMessage`",
    forms: &[Form::Map(&ANY)],
};

static MESSAGES: Shape = Shape {
    expected: "an array of messages",
    forms: &[Form::List {
        items: &MESSAGE,
        at_least: 1,
    }],
};

static EXPECTED_MESSAGES: Shape = Shape {
    expected: "an array of messages",
    forms: &[Form::List {
        items: &MESSAGE,
        at_least: 0,
    }],
};

/// The shapes of an expected output. The type alone does not decide which one an object or array has.
static EXPECTED_OUTPUT: Shape = Shape {
    expected: "a string, an object, or an array",
    forms: &[
        Form::Text(Text::Any),
        Form::Map(&ANY),
        Form::List {
            items: &ANY,
            at_least: 0,
        },
    ],
};

pub(crate) static MESSAGE: Shape = Shape {
    expected: "a message (an object with `role` and `content`)",
    forms: &[Form::Record(&MESSAGE_FIELDS)],
};

static MESSAGE_FIELDS: Record = Record {
    name: "message",
    others: Others::Keep,
    required: &[&["role"], &["content", "tool_calls"]],
    fields: fields! {
        "role": ROLE, "Who speaks.";
        "content": CONTENT, "The content: a text, structured data, or blocks.";
        "name": TEXT, "The name of the speaker or of the tool.";
        "tool_calls": TOOL_CALLS, "The tools that are called.";
        "tool_call_id": TEXT, "The id of the call that a `tool` message answers (default: the first unanswered call).";
    },
};

static ROLE: Shape = Shape {
    expected: "one of system, user, assistant, tool",
    forms: &[Form::Text(Text::OneOf(Role::NAMES))],
};

static CONTENT: Shape = Shape {
    expected: "a string, an object, or an array of blocks",
    forms: &[
        Form::Text(Text::Any),
        Form::Map(&ANY),
        Form::List {
            items: &BLOCK,
            at_least: 0,
        },
    ],
};

static BLOCK: Shape = Shape {
    expected: "a block (an object with `type`)",
    forms: &[Form::Record(&BLOCK_FIELDS)],
};

static BLOCK_FIELDS: Record = Record {
    name: "block",
    others: Others::Keep,
    required: &[&["type"]],
    fields: fields! {
        "type": FILLED, "`text`, `file`, or a type of your own that is passed on unchanged.";
        "value": ANY, "The text, or the path of the file relative to the eval file.";
    },
};

static TOOL_CALLS: Shape = Shape {
    expected: "an array of tool calls",
    forms: &[Form::List {
        items: &TOOL_CALL,
        at_least: 0,
    }],
};

static TOOL_CALL: Shape = Shape {
    expected: "a tool call (an object with `tool`)",
    forms: &[Form::Record(&TOOL_CALL_FIELDS)],
};

static TOOL_CALL_FIELDS: Record = Record {
    name: "tool call",
    others: Others::Keep,
    required: &[&["tool"]],
    fields: fields! {
        "tool": FILLED, "The tool's name.";
        "input": ANY, "Its arguments.";
        "output": ANY, "The result of the call.";
        "id": TEXT, "The call's identifier.";
        "timestamp": TEXT, "The time of the call.";
        "duration_ms": AMOUNT, "The duration of the call in milliseconds.";
    },
};

static EXECUTION: Shape = Shape {
    expected: "an object",
    forms: &[Form::Record(&EXECUTION_FIELDS)],
};

static EXECUTION_FIELDS: Record = Record {
    name: "execution",
    others: Others::Keep,
    required: &[],
    fields: fields! {
        "target": FILLED, "The name of the target that answers.";
        "evaluators": EVALUATORS, "The evaluators that grade the answer; used instead of `evaluators` next to `execution`.";
        "pass_threshold": FRACTION, "The lowest score that passes; used instead of `pass_threshold` next to `execution`.";
    },
};

static WORKSPACE: Shape = Shape {
    expected: "the settings of a workspace (an object)",
    forms: &[Form::Record(&WORKSPACE_FIELDS)],
};

static WORKSPACE_FIELDS: Record = Record {
    name: "workspace",
    others: Others::Warn,
    required: &[],
    fields: fields! {
        "from": WORKSPACE_SOURCE, "The files that the workspace starts with: a folder, or a commit of a git repository (default: none).";
        "setup": COMMANDS, "The commands that prepare the workspace, each an array of words. A command that fails makes the trial errored.";
        "teardown": COMMANDS, "The commands that run after grading, each an array of words.";
        "timeout_seconds": POSITIVE, "The seconds for all commands of `setup`, and again for those of `teardown` (default: 1800).";
        "keep": KEEP, "The trials after which the workspace stays on disk: `never` (default), `on_failure` or `always`.";
    },
};

static WORKSPACE_SOURCE: Shape = Shape {
    expected: "the path of a folder, or `{git: PATH, commit: SHA}`",
    forms: &[
        Form::Text(Text::FolderToCopy),
        Form::Record(&WORKSPACE_COMMIT_FIELDS),
    ],
};

static WORKSPACE_COMMIT_FIELDS: Record = Record {
    name: "commit",
    others: Others::Refuse,
    required: &[&["git"], &["commit"]],
    fields: fields! {
        "git": REPOSITORY, "The path of a git repository.";
        "commit": FILLED, "The commit to export, without its history.";
    },
};

static REPOSITORY: Shape = Shape {
    expected: "the path of a git repository",
    forms: &[Form::Text(Text::FolderToCopy)],
};

static COMMANDS: Shape = Shape {
    expected: "an array of commands, each an array of words",
    forms: &[Form::List {
        items: &COMMAND,
        at_least: 0,
    }],
};

static COMMAND: Shape = Shape {
    expected: "a command (an array of words)",
    forms: &[Form::List {
        items: &TEXT,
        at_least: 1,
    }],
};

static KEEP: Shape = Shape {
    expected: "one of never, on_failure, always",
    forms: &[Form::Text(Text::OneOf(KeepWorkspace::NAMES))],
};

static EVALUATOR_TYPE: Shape = Shape {
    expected: "the name of an evaluator",
    forms: &[Form::Text(Text::EvaluatorAlone)],
};

static FIELD_MAP: Shape = Shape {
    expected: "an object that maps the fields of a case to those of a row",
    forms: &[Form::Map(&FILLED)],
};

static TEXT_OR_FILE: Shape = Shape {
    expected: "a text or the path of a file",
    forms: &[Form::Text(Text::TextOrFile)],
};
