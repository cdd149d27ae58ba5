//! The command line.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

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
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Validate(ValidateArguments),
    Show(ShowArguments),
    Convert(ConvertArguments),
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
/// One JSON object a line, in file order. Cases that cannot be used are
/// named on standard error. Exit code: 0, or 2 when the file or the id is wrong.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  agentv show evals/test.jsonl                      all cases
  agentv show evals/test.jsonl greeting             one case
  agentv show evals/test.yaml --format yaml         for reading
  agentv show evals/test.jsonl | jq -r .id          the ids")]
pub(crate) struct ShowArguments {
    /// The eval file
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

/// How eval files are loaded, whatever is done with them.
#[derive(Debug, Args)]
pub(crate) struct LoadArguments {
    /// Let cases refer to files outside the project root
    #[arg(long)]
    pub(crate) allow_outside_root: bool,
    /// Mention also what is usually fine, such as a missing sidecar
    #[arg(long, short)]
    pub(crate) verbose: bool,
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
