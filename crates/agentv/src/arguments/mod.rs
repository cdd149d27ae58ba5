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

/// Check eval files, sidecars, targets and settings, and say everything that is wrong
///
/// Eval files are checked as a whole: every line, every case, every file they refer to. In a folder,
/// hidden folders, `node_modules` and results of earlier runs are passed over. Nothing is run and
/// nothing is written. Exit code: 0 clean or warnings only, 1 problems found, 2 wrong
/// command line.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  agentv validate evals/test.jsonl        one file, with its sidecar
  agentv validate evals                   every eval file in a folder
  agentv validate 'evals/**/*.jsonl'      a glob
  agentv validate --format github .       annotations for a pull request
  agentv validate --as agentmark rows.jsonl")]
pub(crate) struct ValidateArguments {
    /// Files, folders or globs
    #[arg(required = true, value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// How problems are told
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,
    /// Hold files to another tool's rules, to the letter
    #[arg(long = "as", value_enum, value_name = "RULES")]
    pub(crate) rules: Option<RulesName>,
    #[command(flatten)]
    pub(crate) load: LoadArguments,
}

/// Print resolved cases: defaults applied, shorthands expanded, files read
///
/// One JSON object a line, in file order. Cases that cannot be used are named on standard error. Of the
/// folder of a run, its results are printed. Exit code: 0, or 2 when the file or the id is wrong.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  agentv show evals/test.jsonl                      all cases
  agentv show evals/test.jsonl greeting             one case
  agentv show evals/test.yaml --format yaml         for reading
  agentv show evals/test.jsonl | jq -r .id          the ids
  agentv show .agentv/results/RUN greeting --format yaml")]
pub(crate) struct ShowArguments {
    /// The eval file, or the folder of a run
    pub(crate) file: PathBuf,
    /// The id of one case
    pub(crate) id: Option<String>,
    /// How cases are printed
    #[arg(long, value_enum, default_value_t = CaseFormat::Json)]
    pub(crate) format: CaseFormat,
    #[command(flatten)]
    pub(crate) load: LoadArguments,
}

/// Convert an eval file to another format without losing a field
///
/// Dataset-level fields move between a suite and a sidecar; relative file references are rewritten
/// for the new place. The converted file loads to equal cases. The output is written whole or not
/// at all, and the input is never replaced. Exit code: 0, 1 when the input has problems or fields
/// would be lost, 2 when the command line is wrong, 5 when the output could not be written.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  agentv convert evals/test.yaml --to jsonl -o evals/test2.jsonl
  agentv convert evals/test.jsonl --to yaml -o suites/test.yaml
  agentv convert evals/test.jsonl --to agentmark --lossy -o rows.jsonl")]
pub(crate) struct ConvertArguments {
    /// The eval file
    pub(crate) file: PathBuf,
    /// The format to convert to
    #[arg(long, value_enum)]
    pub(crate) to: FormatName,
    /// The file to write
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: PathBuf,
    /// Replace files that are there already
    #[arg(long)]
    pub(crate) force: bool,
    /// Drop fields that AgentMark rows have no place for
    #[arg(long)]
    pub(crate) lossy: bool,
    #[command(flatten)]
    pub(crate) load: LoadArguments,
}

/// List the targets that can be asked, and check that they answer
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  agentv targets list                  what targets.yaml defines, and what is built in
  agentv targets check                 ask every target of the file once
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

/// Print the name, provider, model and place of each target
///
/// The targets file is looked for in the working directory and upwards to the project root. Exit
/// code: 0, or 2 when the file is wrong.
#[derive(Debug, Args)]
pub(crate) struct ListArguments {
    /// The targets file
    #[arg(long, value_name = "FILE")]
    pub(crate) targets: Option<PathBuf>,
    /// How targets are told
    #[arg(long, value_enum, default_value_t = ListFormat::Text)]
    pub(crate) format: ListFormat,
}

/// Ask each target one small question, and say what is wrong
///
/// This asks for real: a model is paid for a few tokens. Exit code: 0 when all answer, 1 when some
/// do not, 2 when a name or the file is wrong.
#[derive(Debug, Args)]
pub(crate) struct CheckArguments {
    /// The targets to check, all of the file unless given
    #[arg(value_name = "NAME")]
    pub(crate) names: Vec<String>,
    /// The targets file
    #[arg(long, value_name = "FILE")]
    pub(crate) targets: Option<PathBuf>,
    /// The longest that an answer may take
    #[arg(long, value_name = "SECONDS", default_value = "30", value_parser = seconds)]
    pub(crate) timeout: f64,
    /// How what was found is told
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
/// The schemas come from the definitions that `validate` checks against.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  agentv schema eval > eval.schema.json
  agentv schema targets

In an editor with the YAML language server, put this at the top of a suite:
  # yaml-language-server: $schema=eval.schema.json")]
pub(crate) struct SchemaArguments {
    /// The kind of file
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
    /// The shell
    #[arg(value_enum)]
    pub(crate) shell: Shell,
}

/// Join the shards of a run into one run
///
/// The records of all RUNs, one for each trial: of two for the same one, the later counts. Merging the
/// same runs again changes nothing, and gives the same run. Exit code: 0, 1 when a shard or trials are
/// missing, 2 when a run is wrong, 5 when the result could not be written.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  agentv run evals --shard 1/2          on one machine
  agentv run evals --shard 2/2          on another
  agentv merge RUN RUN                  where both folders are")]
pub(crate) struct MergeArguments {
    /// Ids of runs, or paths of their folders
    #[arg(required = true, num_args = 2.., value_name = "RUN")]
    pub(crate) runs: Vec<String>,
}

/// Lay out a project with a first eval that runs at once
///
/// Writes `evals/`, `.agentv/targets.yaml` and `.env.example`. Files that are there already stay as
/// they are. Exit code: 0, or 5 when a file could not be written.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  agentv init && agentv run evals")]
pub(crate) struct InitArguments {
    /// The folder of the project
    #[arg(default_value = ".")]
    pub(crate) folder: PathBuf,
}

/// How eval files are loaded, whatever is done with them.
#[derive(Debug, Clone, PartialEq, Args)]
pub(crate) struct LoadArguments {
    /// Let cases refer to files outside the project root
    #[arg(long)]
    pub(crate) allow_outside_root: bool,
    /// Mention also what is usually fine, such as a missing sidecar
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
    /// For people: each problem with the line it is on
    Text,
    /// For editors and scripts: one JSON object a line
    Json,
    /// For GitHub: workflow annotations
    Github,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ListFormat {
    /// For people: in columns
    Text,
    /// For scripts: one JSON object a line
    Json,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum RulesName {
    /// One `{"input": {"userMessage": …}, "expected_output": …}` a line
    Agentmark,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum CaseFormat {
    /// One JSON object a line
    Json,
    /// YAML documents
    Yaml,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum FormatName {
    /// A suite
    Yaml,
    /// One case a line, dataset-level fields in a sidecar
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
