//! Lines that are not JSON: one mistake is told once, and a flood of them is summed up.

use std::sync::Arc;

use agentv_dataset::{Code, Diagnostic};
use agentv_syntax::Problem;

/// Broken lines of one file that are told one by one.
const TOLD: u64 = 20;

/// Decides which of the broken lines of a file are worth telling.
#[derive(Debug, Default)]
pub(super) struct BrokenLines {
    told: u64,
    /// The last line of an object that was written over several.
    spread_to: Option<u64>,
    /// Lines that were passed over, and the first of them.
    more: u64,
    first_of_more: Option<Diagnostic>,
}

impl BrokenLines {
    /// Whether a diagnostic is to be told now.
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
        if self.told < TOLD {
            self.told += 1;
            return true;
        }
        self.more += 1;
        self.first_of_more.get_or_insert_with(|| diagnostic.clone());
        false
    }

    /// An object over several lines is one mistake. It ends where another line begins an object.
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

    /// What there is to say of the lines that were passed over.
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
