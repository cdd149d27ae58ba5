//! The commands, one file each: arguments in, one call, words and exit code out.

pub(crate) mod compare;
pub(crate) mod completions;
pub(crate) mod convert;
pub(crate) mod demo;
pub(crate) mod engine;
pub(crate) mod export;
pub(crate) mod generate;
pub(crate) mod grade;
pub(crate) mod import;
pub(crate) mod init;
pub(crate) mod judge;
pub(crate) mod lsp;
pub(crate) mod man;
pub(crate) mod merge;
pub(crate) mod prune;
pub(crate) mod report;
pub(crate) mod run;
pub(crate) mod runs;
pub(crate) mod schema;
pub(crate) mod show;
pub(crate) mod targets;
pub(crate) mod trend;
pub(crate) mod validate;
pub(crate) mod view;
pub(crate) mod worker;
