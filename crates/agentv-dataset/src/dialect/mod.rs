//! Suites in the words of other tools, read as ours.
//!
//! A dialect is one file here and one line in [`ALL`]: it turns a suite of another tool into a suite of
//! ours. Every part keeps its place in the user's file, so all that reads, checks and converts our own
//! suites works on the result, and every problem is reported at the words that the user wrote.

mod agentv_4;
mod agentv_5;
mod assertion;
mod case_files;
mod detect;
mod include;
mod kind;
mod known_keys;
mod messages;
mod notes;
mod promptfoo;
mod prompts;
mod rubrics;
mod run_settings;
mod schema;
mod source;
mod template;
mod texts;
mod turns;
mod variables;
mod workspace;

pub(crate) use detect::{Mixed, closest, detect, is_suite};
pub(crate) use kind::Dialect;
pub use run_settings::RunSettings;
pub use schema::{dialect_schema, dialect_schemas};
pub(crate) use source::TranslatedSuite;
pub(crate) use texts::Texts;
pub use variables::Variables;

/// Every dialect, the one with the most particular keys first.
pub(crate) const ALL: &[&Dialect] = &[&promptfoo::DIALECT, &agentv_5::DIALECT, &agentv_4::DIALECT];
