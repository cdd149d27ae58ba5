//! The turns of an agent that does not name its messages.

/// A counter of turns: the result of a tool ends a turn, and whatever comes next begins another.
#[derive(Debug, Default)]
pub(crate) struct Turn {
    number: u64,
    is_over: bool,
}

impl Turn {
    /// Returns a name for the message of the present turn.
    pub(crate) fn name(&mut self) -> String {
        if std::mem::take(&mut self.is_over) {
            self.number += 1;
        }
        format!("turn {}", self.number)
    }

    /// Ends the turn.
    pub(crate) fn end(&mut self) {
        self.is_over = true;
    }
}
