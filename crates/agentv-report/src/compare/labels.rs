//! The names of runs and cases in a comparison.

use super::run::Row;
use crate::figures::count;
use crate::text::one_line;

/// Returns the letter of a run by its position: A, B, …, Z, then numbers.
pub(super) fn label(index: usize) -> String {
    match u8::try_from(index) {
        Ok(index @ 0..26) => char::from(b'A' + index).to_string(),
        _ => (index + 1).to_string(),
    }
}

/// Returns the first few names in backticks and the number of the others.
pub(super) fn listed<'n>(names: impl Iterator<Item = &'n str>, few: usize) -> String {
    let mut names = names.map(|name| format!("`{}`", one_line(name)));
    let mut told: Vec<String> = names.by_ref().take(few).collect();
    let more = names.count();
    if more > 0 {
        told.push(format!("{} more", count(more as u64)));
    }
    told.join(", ")
}

/// The parts of a name that are needed to identify a case.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Naming {
    pub(super) files: bool,
    pub(super) targets: bool,
}

impl Naming {
    /// Returns the name of a row's case, with the parts that identify it.
    pub(super) fn case(self, row: &Row) -> String {
        let mut name = one_line(&row.id);
        if self.targets {
            name.push_str(" @ ");
            name.push_str(&one_line(&row.target));
        }
        if self.files {
            name.push_str(&format!(" ({})", one_line(&row.file)));
        }
        name
    }
}
