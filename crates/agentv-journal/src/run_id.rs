//! The id of a run, which contains its start time.

use std::fmt;
use std::str::FromStr;

use jiff::Timestamp;
use thiserror::Error;

/// The name of a run's folder.
///
/// Ids made from a time are readable and sort by time: the second, then its fraction as four
/// hexadecimal digits.
///
/// ```
/// use agentv_journal::RunId;
///
/// let id = RunId::at("2026-11-15T10:43:07.309Z".parse()?);
/// assert_eq!(id.as_str(), "2026-11-15T10-43-07Z-4f1a");
/// assert_eq!(id.time().map(|time| time.as_second()), Some(1794739387));
/// assert!("../elsewhere".parse::<RunId>().is_err());
/// # Ok::<(), jiff::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RunId(String);

/// The number of ids within a second.
const STEPS: u32 = 1 << 16;
const NANOSECONDS: u64 = 1_000_000_000;
const LONGEST: usize = 200;

impl RunId {
    /// Returns the id of a run that begins at `time`.
    ///
    /// Two runs that begin within 15 µs of each other get the same id; [`RunFolder::create_at`]
    /// then takes the next id.
    ///
    /// [`RunFolder::create_at`]: crate::RunFolder::create_at
    pub fn at(time: Timestamp) -> RunId {
        let second = Timestamp::from_second(nanosecond_floor(time).0).unwrap_or(time);
        let step = u64::from(nanosecond_floor(time).1) * u64::from(STEPS) / NANOSECONDS;
        RunId(format!(
            "{}-{step:04x}",
            second.strftime("%Y-%m-%dT%H-%M-%SZ")
        ))
    }

    /// Returns the time in an id that was made from one.
    pub fn time(&self) -> Option<Timestamp> {
        let (second, step) = self.0.rsplit_once("Z-")?;
        let (day, clock) = second.split_once('T')?;
        let second: Timestamp = format!("{day}T{}Z", clock.replace('-', ":")).parse().ok()?;
        if step.len() != 4 {
            return None;
        }
        let step = u64::from(u16::from_str_radix(step, 16).ok()?);
        // Rounded up, so that the id of this time is this id again.
        let nanosecond = (step * NANOSECONDS).div_ceil(u64::from(STEPS));
        Timestamp::new(second.as_second(), i32::try_from(nanosecond).ok()?).ok()
    }

    /// Returns the id as a string.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Returns whole seconds, rounded down, and the remaining nanoseconds.
fn nanosecond_floor(time: Timestamp) -> (i64, u32) {
    let nanoseconds = time.as_nanosecond();
    let billion = i128::from(NANOSECONDS);
    let second = nanoseconds.div_euclid(billion) as i64;
    (second, nanoseconds.rem_euclid(billion) as u32)
}

impl fmt::Display for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The id of a run is any name of a single folder that is not hidden.
impl FromStr for RunId {
    type Err = InvalidRunId;

    fn from_str(name: &str) -> Result<RunId, InvalidRunId> {
        let foreign = |char: char| char.is_control() || char == '/' || char == '\\';
        if name.is_empty()
            || name.len() > LONGEST
            || name.starts_with('.')
            || name.contains(foreign)
        {
            return Err(InvalidRunId(name.to_owned()));
        }
        Ok(RunId(name.to_owned()))
    }
}

/// A name that no run can have.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(
    "`{}` is not a valid run id: expected a folder name of at most {LONGEST} bytes, without \
     slashes, that does not start with a dot",
    .0.escape_debug()
)]
pub struct InvalidRunId(pub String);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_sort_by_time_and_give_it_back() {
        let start: Timestamp = "2026-11-15T10:43:06.999Z".parse().unwrap();
        let ids: Vec<RunId> = (0..2_000)
            .map(|step| {
                let later = start.as_nanosecond() + i128::from(step) * 15_300;
                RunId::at(Timestamp::from_nanosecond(later).unwrap())
            })
            .collect();
        assert!(ids.is_sorted());
        assert!(ids.windows(2).all(|pair| pair[0] != pair[1]));
        for id in &ids {
            assert_eq!(RunId::at(id.time().unwrap()), *id);
        }
    }

    #[test]
    fn names_that_would_leave_the_folder_are_refused() {
        for name in ["", ".", "..", ".hidden", "a/b", "a\\b", "a\nb", "a\0"] {
            assert!(name.parse::<RunId>().is_err(), "{name:?}");
        }
        let nightly: RunId = "nightly 7".parse().unwrap();
        assert_eq!(nightly.time(), None);
    }
}
