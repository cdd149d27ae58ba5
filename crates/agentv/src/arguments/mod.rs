//! The command line.

mod command_line;
mod compare;
mod completions;
mod convert;
mod demo;
mod engine;
mod exchange;
mod gates;
mod generate;
mod grade;
mod history;
mod init;
mod judge;
mod list_format;
mod load;
mod lsp;
mod man;
mod merge;
mod prune;
mod report;
mod root;
mod run;
mod schema;
mod shard;
mod shared;
mod show;
mod targets;
mod validate;
mod values;
mod view;

pub(crate) use compare::CompareArguments;
pub(crate) use completions::CompletionsArguments;
pub(crate) use convert::{ConvertArguments, FormatName};
pub(crate) use demo::DemoArguments;
pub(crate) use engine::{EngineAction, EngineCommandArguments, WorkerArguments};
pub(crate) use exchange::{ExportArguments, ExportFormat, ExportOtlpArguments, ImportArguments};
use gates::GateArguments;
pub(crate) use generate::{
    AuthorArguments, GenerateAction, GenerateArguments, GenerateCasesArguments,
    GenerateRubricsArguments,
};
pub(crate) use grade::GradeArguments;
pub(crate) use history::{RunsAction, RunsArguments, TrendArguments, TrendFormat};
pub(crate) use init::{InitArguments, TemplateName};
pub(crate) use judge::{CalibrateArguments, JudgeAction, JudgeArguments};
pub(crate) use list_format::ListFormat;
use load::LoadArguments;
pub(crate) use lsp::LspArguments;
pub(crate) use man::ManArguments;
pub(crate) use merge::MergeArguments;
pub(crate) use prune::PruneArguments;
pub(crate) use report::ReportArguments;
pub(crate) use root::{Arguments, Command};
pub(crate) use run::RunArguments;
pub(crate) use schema::{SchemaArguments, SchemaName};
pub(crate) use shared::{OutputArguments, ReportTarget};
pub(crate) use show::{CaseFormat, ShowArguments};
pub(crate) use targets::{CheckArguments, ListArguments, TargetsAction, TargetsArguments};
pub(crate) use validate::{Format, RulesName, ValidateArguments};
pub(crate) use view::ViewArguments;
