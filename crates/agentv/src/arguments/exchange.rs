//! The command lines of `agentv import` and `agentv export`.

use std::path::PathBuf;

use agentv_providers::import::{ImportSource, SOURCES};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand};

/// Turn sessions, traces and logs of other tools into a recording
///
/// The recording has an answer per line, with tool calls and tokens. A `replay` target returns these answers, and
/// `agentv run` grades it.
///
/// Exit codes: 0 success, 2 a file or the command line is invalid, 5 the recording could not be written.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  agentv import claude ~/.claude/projects/shop/*.jsonl -o recorded.jsonl
  agentv import otlp traces.json -o recorded.jsonl
  agentv import codex rollout.jsonl --id refund-1 -o recorded.jsonl")]
pub(crate) struct ImportArguments {
    /// The tool that wrote the files
    #[arg(value_name = "SOURCE", value_parser = sources())]
    pub(crate) source: &'static ImportSource,
    /// Files to import
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Write to FILE
    #[arg(short, long = "out", alias = "output", value_name = "FILE")]
    pub(crate) output: PathBuf,
    /// The id of the case that is answered, if the files contain a single answer (default: the id of the
    /// session, sample or trace)
    #[arg(long, value_name = "ID")]
    pub(crate) id: Option<String>,
    /// Replace an existing file
    #[arg(long)]
    pub(crate) force: bool,
}

fn sources() -> impl TypedValueParser<Value = &'static ImportSource> {
    let names = SOURCES
        .iter()
        .map(|source| PossibleValue::new(source.name).help(source.doc));
    PossibleValuesParser::new(names).try_map(|name| {
        let source = SOURCES.iter().find(|source| source.name == name);
        source
            .copied()
            .ok_or_else(|| format!("unknown source `{name}`"))
    })
}

/// Write a run in the format of another tool
#[derive(Debug, Args)]
pub(crate) struct ExportArguments {
    #[command(subcommand)]
    pub(crate) format: ExportFormat,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ExportFormat {
    Otlp(ExportOtlpArguments),
}

/// Write the trials of a run as OpenTelemetry traces
///
/// Each trial is a line of OTLP JSON with the GenAI conventions: the agent, its messages, its tool calls, and an
/// event per evaluator. `agentv import otlp` reads it back.
///
/// Exit codes: 0 success, 2 the run or the command line is invalid, 5 the file could not be written.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  agentv export otlp latest -o traces.jsonl
  agentv export otlp latest | jq '.resourceSpans[].scopeSpans[].spans[].name'")]
pub(crate) struct ExportOtlpArguments {
    /// Run id, run folder, `latest`, `latest~1`, …
    #[arg(value_name = "RUN")]
    pub(crate) run: String,
    /// Write to FILE (default: standard output)
    #[arg(short, long = "out", alias = "output", value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}
