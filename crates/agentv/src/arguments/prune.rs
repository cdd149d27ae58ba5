//! The command line of `agentv runs prune`.

use std::time::Duration;

use agentv_project::PruneOptions;
use clap::{ArgGroup, Args};

use super::values::{InvalidValue, whole};

/// Remove old runs
///
/// Prints each removed run with its size, and the space freed. Never removes a run that a process is
/// writing, nor a folder that is not a run. With both options, a run is removed only if it is neither one
/// of the newest N nor newer than AGE.
///
/// Exit codes: 0 success, 2 the command line is invalid, 5 a run could not be removed.
#[derive(Debug, Args)]
#[command(
    group = ArgGroup::new("what").required(true).multiple(true).args(["keep", "older_than"]),
    after_help = "\
Examples:
  agentv runs prune --keep 20                     the newest 20 stay
  agentv runs prune --older-than 30d --dry-run    what would be removed
  agentv runs prune --keep 5 --older-than 2w      at least 5 stay"
)]
pub(crate) struct PruneArguments {
    /// Keep the newest N runs
    #[arg(long, value_name = "N", value_parser = whole::<usize>)]
    pub(crate) keep: Option<usize>,
    /// Remove runs that ended longer than AGE ago, such as `12h`, `30d` or `8w`
    #[arg(long, value_name = "AGE", value_parser = age)]
    pub(crate) older_than: Option<Duration>,
    /// Only print what would be removed
    #[arg(long)]
    pub(crate) dry_run: bool,
}

impl PruneArguments {
    pub(crate) fn options(&self) -> PruneOptions {
        PruneOptions {
            keep: self.keep,
            older_than: self.older_than,
            is_dry_run: self.dry_run,
        }
    }
}

/// Reads a number of hours, days or weeks. In an age, `6m` could be minutes or months, and a bare number
/// anything.
fn age(text: &str) -> Result<Duration, InvalidValue> {
    const HOUR: u64 = 3600;
    let units = [('h', HOUR), ('d', 24 * HOUR), ('w', 7 * 24 * HOUR)];
    let age = units.iter().find_map(|(unit, seconds)| {
        let number: u32 = text.strip_suffix(*unit)?.trim_end().parse().ok()?;
        Some(Duration::from_secs(u64::from(number) * seconds))
    });
    let expected = "an age in hours, days or weeks: `12h`, `30d` or `8w`";
    age.ok_or(InvalidValue::Expected(expected))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_age_has_a_unit() {
        let hours = |text: &str| age(text).map(|age| age.as_secs() / 3600).ok();
        assert_eq!(
            ["12h", "30d", "8w", "1d", "0d"].map(hours),
            [Some(12), Some(720), Some(1344), Some(24), Some(0)]
        );
        for text in [
            "30",
            "",
            "d",
            "-1d",
            "1.5d",
            "soon",
            "6m",
            "30s",
            "99999999999d",
        ] {
            assert_eq!(hours(text), None, "{text}");
        }
    }
}
