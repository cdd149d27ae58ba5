//! The command line as a whole.

use clap::{Parser, Subcommand};

use super::{
    CompareArguments, CompletionsArguments, ConvertArguments, DemoArguments,
    EngineCommandArguments, ExportArguments, GenerateArguments, GradeArguments, ImportArguments,
    InitArguments, JudgeArguments, LspArguments, ManArguments, MergeArguments, ReportArguments,
    RunArguments, RunsArguments, SchemaArguments, ShowArguments, TargetsArguments, TrendArguments,
    ValidateArguments, ViewArguments, WorkerArguments,
};
use crate::log::LogLevel;

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
    Worker(WorkerArguments),
    Engine(EngineCommandArguments),
    Report(ReportArguments),
    Compare(CompareArguments),
    Runs(RunsArguments),
    Trend(TrendArguments),
    View(ViewArguments),
    Init(InitArguments),
    Demo(DemoArguments),
    Validate(ValidateArguments),
    Show(ShowArguments),
    Convert(ConvertArguments),
    Generate(GenerateArguments),
    Import(ImportArguments),
    Export(ExportArguments),
    Targets(TargetsArguments),
    Schema(SchemaArguments),
    Lsp(LspArguments),
    Completions(CompletionsArguments),
    Man(ManArguments),
}
