//! Writing a comparison for people, for scripts and for pull requests.

use std::io::{self, Write};

use agentv_core::GateOutcome;

use super::comparison::Comparison;
use super::pairwise::Pairwise;
use super::shown_cases::ShownCases;
use super::{json, markdown, table};
use crate::Style;

/// The format of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ComparisonFormat {
    /// For people, in a terminal.
    Table,
    /// For scripts: one JSON object.
    Json,
    /// For pull requests: below 65,536 characters, with all foreign text escaped.
    Markdown,
}

/// Writes a comparison of two runs and the outcomes of the gates.
///
/// # Errors
/// Fails if `out` cannot be written.
pub fn write_comparison(
    comparison: &Comparison<'_>,
    showing: &ShownCases,
    gates: &[GateOutcome],
    format: ComparisonFormat,
    style: Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    match format {
        ComparisonFormat::Json => json::write(comparison, showing, gates, out)?,
        ComparisonFormat::Table => {
            let text = table::of_two(comparison, showing, gates, style);
            out.write_all(text.as_bytes())?;
        }
        ComparisonFormat::Markdown => {
            let text = markdown::of_two(comparison, showing, gates);
            out.write_all(text.as_bytes())?;
        }
    }
    out.flush()
}

/// Writes the comparisons of every two of several runs and the outcomes of the gates.
///
/// # Errors
/// Fails if `out` cannot be written.
pub fn write_pairwise(
    pairwise: &Pairwise<'_>,
    gates: &[GateOutcome],
    format: ComparisonFormat,
    style: Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    match format {
        ComparisonFormat::Json => json::write_pairwise(pairwise, gates, out)?,
        ComparisonFormat::Table => {
            let text = table::of_several(pairwise, gates, style);
            out.write_all(text.as_bytes())?;
        }
        ComparisonFormat::Markdown => {
            let text = markdown::of_several(pairwise, gates);
            out.write_all(text.as_bytes())?;
        }
    }
    out.flush()
}
