//! Reports of runs, for people and for other tools: one file per format.

mod csv;
mod exchange;
mod format;
mod github;
mod html;
mod json;
mod junit;
mod markdown;
mod shortcomings;

pub use format::{ReportFailure, ReportFormat};
pub use html::{RunFacts, SiteLink, TrialsPage, page, write_runs_page};

/// Every format: one file and one line each.
pub const FORMATS: &[ReportFormat] = &[
    html::FORMAT,
    junit::FORMAT,
    markdown::FORMAT,
    csv::FORMAT,
    json::FORMAT,
    github::FORMAT,
];
