//! The command line.

mod command_line;
mod compare;
mod gates;
mod grade;
mod history;
mod judge;
mod report;
mod run;
mod shared;

use std::path::PathBuf;

use agentv_dataset::LoadOptions;
use agentv_project::Project;
use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

use crate::log::LogLevel;
pub(crate) use compare::CompareArguments;
use gates::GateArguments;
pub(crate) use grade::GradeArguments;
pub(crate) use history::{RunsArguments, TrendArguments, TrendFormat};
pub(crate) use judge::{CalibrateArguments, JudgeAction, JudgeArguments};
pub(crate) use report::ReportArguments;
pub(crate) use run::RunArguments;
pub(crate) use shared::{OutputArguments, ReportTarget};

/// Evaluates AI agents and prompts from files.
#[derive(Debug, Parser)]
#[command(
    name = "agentv",
    version,
    about,
    max_term_width = 100,
    disable_help_subcommand = true
)]
pub(crate) struct Arguments {
    /// Log to standard error: error, warn, info, debug or trace (default: AGENTV_LOG, or off)
    #[arg(
        long,
        global = true,
        value_enum,
        value_name = "LEVEL",
        hide_possible_values = true
    )]
    pub(crate) log: Option<LogLevel>,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Run(Box<RunArguments>),
    Grade(Box<GradeArguments>),
    Judge(JudgeArguments),
    Merge(MergeArguments),
    Report(ReportArguments),
    Compare(CompareArguments),
    Runs(RunsArguments),
    Trend(TrendArguments),
    Init(InitArguments),
    Validate(ValidateArguments),
    Show(ShowArguments),
    Convert(ConvertArguments),
    Targets(TargetsArguments),
    Schema(SchemaArguments),
    Completions(CompletionsArguments),
}

/// Check eval files, sidecars, targets and settings, and report every problem
///
/// Checks every line, every case and every file that a case refers to. Skips hidden folders,
/// `node_modules` and the results of earlier runs. Runs nothing and writes nothing.
///
/// Exit codes: 0 no problems or only warnings, 1 problems found, 2 the command line is invalid.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  agentv validate evals/test.jsonl        one file with its sidecar
  agentv validate evals                   every eval file in a folder
  agentv validate 'evals/**/*.jsonl'      a glob
  agentv validate --format github .       annotations for a pull request
  agentv validate --as agentmark rows.jsonl")]
pub(crate) struct ValidateArguments {
    /// Files, folders or globs
    #[arg(required = true, value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,
    /// Check the files strictly against the rules of another tool
    #[arg(long = "as", value_enum, value_name = "RULES")]
    pub(crate) rules: Option<RulesName>,
    #[command(flatten)]
    pub(crate) load: LoadArguments,
}

/// Print resolved cases: defaults applied, shorthands expanded, files read
///
/// Prints one JSON object per line, in file order, and reports invalid cases on standard error. For the
/// folder of a run, prints its results.
///
/// Exit codes: 0 success, 2 the file or the id is invalid.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  agentv show evals/test.jsonl                      all cases
  agentv show evals/test.jsonl greeting             one case
  agentv show evals/test.yaml --format yaml         as YAML, easier to read
  agentv show evals/test.jsonl | jq -r .id          the ids
  agentv show .agentv/results/RUN greeting --format yaml")]
pub(crate) struct ShowArguments {
    /// Eval file, or folder of a run
    pub(crate) file: PathBuf,
    /// Only print the case with this id
    pub(crate) id: Option<String>,
    /// Output format
    #[arg(long, value_enum, default_value_t = CaseFormat::Json)]
    pub(crate) format: CaseFormat,
    #[command(flatten)]
    pub(crate) load: LoadArguments,
}

/// Convert an eval file to another format without losing a field
///
/// Moves dataset-level fields between a suite and a sidecar, and rewrites relative file references for
/// the new location. The converted file loads to the same cases. The output is written completely or not
/// at all, and the input is never replaced.
///
/// Exit codes: 0 success, 1 the input has problems or fields would be lost, 2 the command line is
/// invalid, 5 the output could not be written.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  agentv convert evals/test.yaml --to jsonl -o evals/test2.jsonl
  agentv convert evals/test.jsonl --to yaml -o suites/test.yaml
  agentv convert evals/test.jsonl --to agentmark --lossy -o rows.jsonl")]
pub(crate) struct ConvertArguments {
    /// Eval file to convert
    pub(crate) file: PathBuf,
    /// Format to convert to
    #[arg(long, value_enum)]
    pub(crate) to: FormatName,
    /// Write to OUT
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: PathBuf,
    /// Replace existing files
    #[arg(long)]
    pub(crate) force: bool,
    /// Drop fields that AgentMark rows do not support
    #[arg(long)]
    pub(crate) lossy: bool,
    #[command(flatten)]
    pub(crate) load: LoadArguments,
}

/// List the available targets, or check that they answer
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  agentv targets list                  targets of targets.yaml and built-in ones
  agentv targets check                 ask every target of targets.yaml once
  agentv targets check openai:gpt-5    ask a built-in target")]
pub(crate) struct TargetsArguments {
    #[command(subcommand)]
    pub(crate) action: TargetsAction,
}

#[derive(Debug, Subcommand)]
pub(crate) enum TargetsAction {
    List(ListArguments),
    Check(CheckArguments),
}

/// Print the name, provider, model and location of each target
///
/// Looks for the targets file in the working directory and its parents, up to the project root.
///
/// Exit codes: 0 success, 2 the file is invalid.
#[derive(Debug, Args)]
pub(crate) struct ListArguments {
    /// Targets file (default: the nearest `targets.yaml`)
    #[arg(long, value_name = "FILE")]
    pub(crate) targets: Option<PathBuf>,
    /// Output format
    #[arg(long, value_enum, default_value_t = ListFormat::Text)]
    pub(crate) format: ListFormat,
}

/// Ask each target one small question and report problems
///
/// This sends real requests: asking a model costs a few tokens.
///
/// Exit codes: 0 all targets answered, 1 some did not, 2 a name or the file is invalid.
#[derive(Debug, Args)]
pub(crate) struct CheckArguments {
    /// Targets to check (default: all in the targets file)
    #[arg(value_name = "NAME")]
    pub(crate) names: Vec<String>,
    /// Targets file (default: the nearest `targets.yaml`)
    #[arg(long, value_name = "FILE")]
    pub(crate) targets: Option<PathBuf>,
    /// Time limit for one answer
    #[arg(long, value_name = "SECONDS", default_value = "30", value_parser = seconds)]
    pub(crate) timeout: f64,
    /// Output format
    #[arg(long, value_enum, default_value_t = ListFormat::Text)]
    pub(crate) format: ListFormat,
}

fn seconds(text: &str) -> Result<f64, String> {
    const LONGEST: f64 = 86_400.0;
    match text.parse() {
        Ok(number) if (0.001..=LONGEST).contains(&number) => Ok(number),
        _ => Err("expected a number of seconds from 0.001 to 86400".to_owned()),
    }
}

/// Print the JSON Schema of a file format, for editors
///
/// The schemas are generated from the definitions that `agentv validate` uses.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  agentv schema eval > eval.schema.json
  agentv schema targets

In an editor with the YAML language server, add this line to the top of a suite:
  # yaml-language-server: $schema=eval.schema.json")]
pub(crate) struct SchemaArguments {
    /// Kind of file
    #[arg(value_enum)]
    pub(crate) file: SchemaName,
}

/// Print a completion script for a shell
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  agentv completions bash > ~/.local/share/bash-completion/completions/agentv
  agentv completions zsh > ~/.zfunc/_agentv
  agentv completions fish > ~/.config/fish/completions/agentv.fish")]
pub(crate) struct CompletionsArguments {
    /// Name of the shell
    #[arg(value_enum)]
    pub(crate) shell: Shell,
}

/// Join the shards of a run into one run
///
/// The merged run has one record per trial; if several runs have a record of the same trial, the latest
/// is used. Merging the same runs again gives the same run.
///
/// Exit codes: 0 success, 1 a shard or some trials are missing, 2 a run is invalid, 5 the result could
/// not be written.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  agentv run evals --shard 1/2          on one machine
  agentv run evals --shard 2/2          on another
  agentv merge RUN RUN                  with both folders on one machine")]
pub(crate) struct MergeArguments {
    /// Run ids or run folders
    #[arg(required = true, num_args = 2.., value_name = "RUN")]
    pub(crate) runs: Vec<String>,
}

/// Create a project with a first eval that is ready to run
///
/// Writes `evals/`, `.agentv/targets.yaml` and `.env.example`. Existing files are not changed.
///
/// Exit codes: 0 success, 5 a file could not be written.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  agentv init && agentv run evals")]
pub(crate) struct InitArguments {
    /// Project folder
    #[arg(default_value = ".")]
    pub(crate) folder: PathBuf,
}

/// How eval files are loaded, whatever is done with them.
#[derive(Debug, Clone, PartialEq, Args)]
pub(crate) struct LoadArguments {
    /// Allow cases to refer to files outside the project root
    #[arg(long)]
    pub(crate) allow_outside_root: bool,
    /// Also report what is usually fine, such as a missing sidecar
    #[arg(long, short)]
    pub(crate) verbose: bool,
}

impl LoadArguments {
    pub(crate) fn options(&self, project: &Project) -> LoadOptions {
        LoadOptions {
            allow_outside_root: self.allow_outside_root,
            verbose: self.verbose,
            ..project.load_options()
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Each problem with its source line, for people
    Text,
    /// One JSON object per line, for editors and scripts
    Json,
    /// Workflow annotations for GitHub
    Github,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ListFormat {
    /// Columns, for people
    Text,
    /// One JSON object per line, for scripts
    Json,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum RulesName {
    /// One `{"input": {"userMessage": …}, "expected_output": …}` per line
    Agentmark,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum CaseFormat {
    /// One JSON object per line
    Json,
    /// YAML documents
    Yaml,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum FormatName {
    /// A suite
    Yaml,
    /// One case per line, with dataset-level fields in a sidecar
    Jsonl,
    /// AgentMark rows
    Agentmark,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SchemaName {
    /// A YAML suite
    Eval,
    /// The YAML file beside a JSONL file
    Sidecar,
    /// targets.yaml
    Targets,
    /// .agentv/config.yaml
    Config,
}
