//! The durations of expected tool calls.

use agentv_core::ToolCall;

use super::expected::ExpectedCall;
use crate::words::{Findings, figure, quoted};

/// The results of the limits on durations.
#[derive(Debug, Default)]
pub(super) struct Latencies {
    pub(super) met: usize,
    /// The number of limits that could be checked. The limit of a missing call is not met.
    pub(super) counted: usize,
    /// The first calls without a known duration.
    unknown: Vec<String>,
    unknown_count: usize,
}

impl Latencies {
    /// Counts the limit of an expected call, if it has one.
    pub(super) fn add(
        &mut self,
        expected: &ExpectedCall,
        call: Option<&ToolCall>,
        findings: &mut Findings,
    ) {
        let Some(longest) = expected.longest else {
            return;
        };
        let Some(call) = call else {
            self.counted += 1;
            return;
        };
        let (Some(is_in_time), Some(took)) = (expected.is_in_time(call), call.duration_ms) else {
            return self.skip(&call.tool);
        };
        self.counted += 1;
        self.met += usize::from(is_in_time);
        findings.add(is_in_time, || {
            let (took, longest) = (figure(took), figure(longest));
            if is_in_time {
                format!("{expected} took {took} ms, at most {longest} ms")
            } else {
                format!("{expected} took {took} ms, more than {longest} ms")
            }
        });
    }

    fn skip(&mut self, tool: &str) {
        const MOST_NAMED: usize = 5;
        self.unknown_count += 1;
        if self.unknown.len() < MOST_NAMED {
            self.unknown.push(quoted(tool));
        }
    }

    /// Lists the limits that were not checked.
    pub(super) fn warning(&self) -> Option<String> {
        let tools = self.unknown.join(", ");
        let rest = match self.unknown_count - self.unknown.len() {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        (self.unknown_count > 0).then(|| {
            format!(
                "warning: the duration of {tools}{rest} is unknown, so `max_duration_ms` was \
                     not checked"
            )
        })
    }
}
