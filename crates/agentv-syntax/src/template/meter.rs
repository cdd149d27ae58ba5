//! The budget of one filling: bytes handled, bytes written, time.

use std::time::{Duration, Instant};

use minijinja::value::ValueKind;
use minijinja::{Error, State, Value};

use super::error::Limit;

/// Bytes that the filters and operators of one filling may handle together.
const MOST_HANDLED: u64 = 64 << 20;
/// Bytes of the text that a filling may make.
pub(super) const LARGEST: usize = 16 << 20;
/// Time that a filling may take.
const LONGEST: Duration = Duration::from_secs(10);
/// Price of a value besides the text in it: about the memory that it takes in a list.
pub(super) const VALUE: u64 = 32;
/// Nesting of values that are looked into.
const DEEPEST: usize = 200;

/// The budget that one filling has used.
pub(super) struct Meter {
    handled: u64,
    written: usize,
    deadline: Instant,
}

impl Meter {
    /// Returns the meter of the filling that `state` belongs to.
    pub(super) fn of<'s>(state: &'s mut State<'_, '_>) -> &'s mut Meter {
        state.get_or_insert_extension_with(|| Meter {
            handled: 0,
            written: 0,
            deadline: Instant::now() + LONGEST,
        })
    }

    /// Counts bytes that are about to be handled.
    ///
    /// # Errors
    /// Fails if they are too many, or if the time is up.
    pub(super) fn handle(&mut self, bytes: u64) -> Result<(), Limit> {
        self.handled = self.handled.saturating_add(bytes);
        if self.handled > MOST_HANDLED {
            return Err(Limit::Handled);
        }
        if Instant::now() > self.deadline {
            return Err(Limit::Time);
        }
        Ok(())
    }

    /// Counts bytes that are about to be written.
    ///
    /// # Errors
    /// Fails if they are too many, or if the time is up.
    pub(super) fn write(&mut self, bytes: usize) -> Result<(), Limit> {
        self.written = self.written.saturating_add(bytes);
        if self.written > LARGEST {
            return Err(Limit::Output);
        }
        self.handle(0)
    }
}

/// Returns the bytes that values hold, as far as a filling could pay for them.
///
/// # Errors
/// Fails if the values hold more, or are nested too deeply.
pub(super) fn weight(values: &[Value]) -> Result<u64, Error> {
    let mut weight = 0;
    for value in values {
        weigh(value, &mut weight, 0)?;
    }
    Ok(weight)
}

fn weigh(value: &Value, weight: &mut u64, depth: usize) -> Result<(), Error> {
    *weight += VALUE + value.as_str().map_or(0, |text| text.len() as u64);
    if *weight > MOST_HANDLED || depth > DEEPEST {
        return Err(Limit::Handled.into());
    }
    let kind = value.kind();
    if !matches!(kind, ValueKind::Seq | ValueKind::Iterable | ValueKind::Map) {
        return Ok(());
    }
    for item in value.try_iter()? {
        weigh(&item, weight, depth + 1)?;
        if kind == ValueKind::Map {
            weigh(&value.get_item(&item)?, weight, depth + 1)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_filling_stops_when_its_time_is_up() {
        let mut meter = Meter {
            handled: 0,
            written: 0,
            deadline: Instant::now(),
        };
        std::thread::sleep(Duration::from_millis(1));
        assert_eq!(meter.handle(0), Err(Limit::Time));
        assert_eq!(meter.write(1), Err(Limit::Time));
    }
}
