//! The reports of a supervisor, one per line.

use std::fmt;

use crate::Status;

/// A report of the supervisor: `NotStarted` alone, or `Exited` followed by `Gone` or `Left`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Report {
    /// The command ended.
    Exited(Status),
    /// The command could not be executed. The number is the system's error code.
    NotStarted(i32),
    /// No process of the tree is left.
    Gone,
    /// Some process is still there after SIGKILL.
    Left,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exited(Status::Exited(code)) => write!(f, "exit {code}"),
            Self::Exited(Status::Signalled(signal)) => write!(f, "signal {signal}"),
            Self::NotStarted(number) => write!(f, "error {number}"),
            Self::Gone => f.write_str("gone"),
            Self::Left => f.write_str("left"),
        }
    }
}

impl Report {
    /// Parses a line, or returns `None` if it is not a report.
    pub(super) fn parse(line: &str) -> Option<Self> {
        let (word, number) = match line.split_once(' ') {
            Some((word, number)) => (word, Some(number.parse().ok()?)),
            None => (line, None),
        };
        Some(match (word, number) {
            ("exit", Some(code)) => Self::Exited(Status::Exited(code)),
            ("signal", Some(signal)) => Self::Exited(Status::Signalled(signal)),
            ("error", Some(number)) => Self::NotStarted(number),
            ("gone", None) => Self::Gone,
            ("left", None) => Self::Left,
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_survives_being_printed_and_parsed() {
        for report in [
            Report::Exited(Status::Exited(3)),
            Report::Exited(Status::Signalled(9)),
            Report::NotStarted(2),
            Report::Gone,
            Report::Left,
        ] {
            assert_eq!(Report::parse(&report.to_string()), Some(report));
        }
        for nonsense in ["", "exit", "exit x", "gone 1", "hello 3"] {
            assert_eq!(Report::parse(nonsense), None);
        }
    }
}
