//! The errors that a run may have.

use std::fmt;
use std::str::FromStr;

use agentv_core::GateOutcome;

use crate::figures::{count, counted};
use crate::summary::Summary;

/// The number of errors that a run may have: errored trials, and cases that were skipped because they
/// are unusable. It is an allowance, not a gate: errors up to this number do not decide the exit code.
///
/// ```
/// use agentv_report::ErrorAllowance;
///
/// let some: ErrorAllowance = "2%".parse().unwrap();
/// assert!(some.permits(1, 50));
/// assert!(!some.permits(2, 99));
/// assert!(!ErrorAllowance::default().permits(1, 1_000));
/// assert!("many".parse::<ErrorAllowance>().is_err());
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ErrorAllowance {
    /// At most this many.
    Number(u64),
    /// At most this percentage of all planned trials and skipped cases together.
    Percent(f64),
}

impl Default for ErrorAllowance {
    fn default() -> ErrorAllowance {
        ErrorAllowance::Number(0)
    }
}

impl ErrorAllowance {
    /// Returns true if a run may have this many errors among `all` trials and skipped cases.
    pub fn permits(self, errors: u64, all: u64) -> bool {
        match self {
            ErrorAllowance::Number(most) => errors <= most,
            // A product of whole numbers is exact: 7 of 100 are 7%.
            ErrorAllowance::Percent(percent) => errors as f64 * 100.0 <= percent * all as f64,
        }
    }

    /// Compares the errors of a run with the allowance. `planned` is the number of its trials.
    pub fn judge(self, summary: &Summary, planned: u64) -> GateOutcome {
        let errors = summary.statuses.error.saturating_add(summary.skipped);
        let all = planned.max(summary.trials).saturating_add(summary.skipped);
        let found = match summary.skipped {
            0 => format!("{} errored", count(summary.statuses.error)),
            skipped => format!(
                "{} errored, {} skipped",
                count(summary.statuses.error),
                count(skipped)
            ),
        };
        let of = counted(all, "trial or skipped case", "trials and skipped cases");
        GateOutcome {
            gate: GateOutcome::ALLOWANCE.to_owned(),
            required: format!("errors at most {self}"),
            found: match self {
                ErrorAllowance::Number(_) => found,
                ErrorAllowance::Percent(_) => format!("{found} of {of}"),
            },
            met: self.permits(errors, all),
        }
    }
}

impl fmt::Display for ErrorAllowance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ErrorAllowance::Number(most) => most.fmt(f),
            ErrorAllowance::Percent(percent) => write!(f, "{percent}%"),
        }
    }
}

/// A text that is neither a number nor a percentage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("expected a whole number such as `3`, or a percentage from 0% to 100% such as `2%`")]
pub struct AllowanceError;

impl FromStr for ErrorAllowance {
    type Err = AllowanceError;

    fn from_str(text: &str) -> Result<ErrorAllowance, AllowanceError> {
        let Some(percent) = text.strip_suffix('%') else {
            let number = text.parse().map(ErrorAllowance::Number);
            return number.map_err(|_| AllowanceError);
        };
        let percent = percent.trim_end().parse::<f64>().ok();
        let percent = percent.filter(|percent| (0.0..=100.0).contains(percent));
        percent.map(ErrorAllowance::Percent).ok_or(AllowanceError)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SummaryFold;
    use crate::samples::{errored, graded};

    fn judged(allowance: &str, errors: u64, skipped: u64) -> (String, bool) {
        let mut fold = SummaryFold::new();
        fold.add(&graded("a", 1.0));
        (0..errors).for_each(|_| fold.add(&errored("b", "no")));
        let allowance: ErrorAllowance = allowance.parse().unwrap();
        let outcome = allowance.judge(&fold.finish(skipped), 1 + errors);
        (outcome.found, outcome.met)
    }

    #[test]
    fn errored_trials_and_skipped_cases_count_together() {
        let found = |text: &str| text.to_owned();
        assert_eq!(judged("2", 1, 1), (found("1 errored, 1 skipped"), true));
        assert_eq!(judged("1", 1, 1), (found("1 errored, 1 skipped"), false));
        assert_eq!(judged("0", 0, 0), (found("0 errored"), true));
    }

    #[test]
    fn a_percentage_is_of_all_planned_trials_and_skipped_cases() {
        let (found, met) = judged("50%", 1, 1);
        assert_eq!(found, "1 errored, 1 skipped of 3 trials and skipped cases");
        assert!(!met);
        assert!(judged("66.7%", 1, 1).1);
        assert!(judged("50%", 1, 0).1);
        assert!(judged("100%", 5, 5).1);
    }

    #[test]
    fn what_is_no_allowance_is_refused() {
        for text in ["", "-1", "1.5", "101%", "-1%", "NaN%", "inf%", "%", "five"] {
            assert_eq!(
                text.parse::<ErrorAllowance>(),
                Err(AllowanceError),
                "{text}"
            );
        }
        let third = "33.3%".parse::<ErrorAllowance>().unwrap();
        assert_eq!(third.to_string(), "33.3%");
    }
}
