//! A filter for lines that are not JSON: one mistake is reported once, and many are summed up.

use std::sync::Arc;

use agentv_dataset::{Code, Diagnostic};
use agentv_syntax::Problem;

/// The most broken lines of a file that are reported one by one.
const MOST_REPORTED: u64 = 20;

/// A filter for the broken lines of a file.
#[derive(Debug, Default)]
pub(super) struct BrokenLines {
    reported: u64,
    /// The last line of an object that spans several lines.
    spread_to: Option<u64>,
    /// The number of lines that were not reported.
    more: u64,
    first_of_more: Option<Diagnostic>,
}

impl BrokenLines {
    /// Checks if a diagnostic is reported now.
    pub(super) fn lets_through(&mut self, diagnostic: &Diagnostic) -> bool {
        let is_broken = matches!(
            diagnostic.code(),
            Code::InvalidJson | Code::UnfinishedJson | Code::NotAnObject | Code::NotUtf8
        );
        if !is_broken {
            return true;
        }
        if self.belongs_to_spread_object(diagnostic) {
            return false;
        }
        if self.reported < MOST_REPORTED {
            self.reported += 1;
            return true;
        }
        self.more += 1;
        self.first_of_more.get_or_insert_with(|| diagnostic.clone());
        false
    }

    /// Checks if a line is part of an object that spans several lines, which is one mistake. The object ends at
    /// a line that begins another object.
    fn belongs_to_spread_object(&mut self, diagnostic: &Diagnostic) -> bool {
        let text = diagnostic
            .excerpt
            .as_ref()
            .map(|excerpt| excerpt.text.trim_start());
        let begins_anew = text.is_some_and(|text| text.starts_with('{'));
        let follows = self
            .spread_to
            .is_some_and(|line| Some(line + 1) == diagnostic.line);
        let belongs = follows && !begins_anew;
        let spreads = belongs || diagnostic.code() == Code::UnfinishedJson;
        self.spread_to = diagnostic.line.filter(|_| spreads);
        belongs
    }

    /// Returns a diagnostic that sums up the lines that were not reported.
    pub(super) fn rest(self) -> Option<Diagnostic> {
        let first = self.first_of_more?;
        let message = format!("this line and {} more are not JSON", self.more - 1);
        let problem = Problem::fatal(first.code(), 0..0, message)
            .hint("is this a JSON Lines file, with one object per line?");
        Some(Diagnostic {
            line: first.line,
            ..Diagnostic::of_file(&Arc::clone(&first.file), problem)
        })
    }
}
