//! Matching expected calls with made calls, in order, with other calls in between.

use agentv_core::ToolCall;
use thiserror::Error;

use super::expected::ExpectedCall;

/// The maximum number of pairs of an expected and a made call.
const MOST_PAIRS: usize = 16_000_000;

/// An error for so many calls that the search would take too long.
#[derive(Debug, Error)]
#[error("too many tool calls to compare: {made} made, {expected} expected")]
pub(super) struct TooManyCalls {
    made: usize,
    expected: usize,
}

/// The quality of an alignment, by importance: matched calls, met limits, limits that do not count.
type Merit = (u32, u32, u32);

/// A step of an alignment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    /// The expected call is this call.
    Matched,
    /// The expected call is elsewhere, or missing.
    Omitted,
    /// The made call is not expected.
    Between,
}

/// Returns the position of the matching call for each expected call. The alignment keeps the order,
/// has as many matches as possible and, among those, as many calls in time as possible.
///
/// # Errors
/// Fails if there are so many calls that the search would take too long.
pub(super) fn best(
    expected: &[ExpectedCall],
    calls: &[&ToolCall],
) -> Result<Vec<Option<usize>>, TooManyCalls> {
    let width = calls.len();
    let cells = expected.len().checked_mul(width);
    let Some(cells) = cells.filter(|cells| *cells <= MOST_PAIRS) else {
        return Err(TooManyCalls {
            made: width,
            expected: expected.len(),
        });
    };
    let mut ways = Vec::with_capacity(cells);
    // The quality of the best alignment so far, for each number of calls.
    let mut above: Vec<Merit> = vec![(0, 0, 0); width + 1];
    for wanted in expected {
        let mut row: Vec<Merit> = Vec::with_capacity(width + 1);
        row.push((0, 0, 0));
        for (place, call) in calls.iter().enumerate() {
            let omitted = (above[place + 1], Way::Omitted);
            let between = (row[place], Way::Between);
            let mut best = if between.0 > omitted.0 {
                between
            } else {
                omitted
            };
            if wanted.matches(call) {
                let matched = added(above[place], merit(wanted, call));
                // Among equally good calls the first one wins, as a person would match them.
                if matched > best.0 || (matched == best.0 && best.1 == Way::Omitted) {
                    best = (matched, Way::Matched);
                }
            }
            row.push(best.0);
            ways.push(best.1);
        }
        above = row;
    }
    Ok(traced(&ways, expected.len(), width))
}

fn merit(wanted: &ExpectedCall, call: &ToolCall) -> Merit {
    let is_in_time = wanted.is_in_time(call);
    let is_uncounted = wanted.longest.is_some() && is_in_time.is_none();
    (
        1,
        u32::from(is_in_time == Some(true)),
        u32::from(is_uncounted),
    )
}

fn added(a: Merit, b: Merit) -> Merit {
    (a.0 + b.0, a.1 + b.1, a.2 + b.2)
}

/// Follows the steps back from the end.
fn traced(ways: &[Way], height: usize, width: usize) -> Vec<Option<usize>> {
    let mut places = vec![None; height];
    let (mut row, mut column) = (height, width);
    while row > 0 && column > 0 {
        match ways[(row - 1) * width + column - 1] {
            Way::Matched => {
                (row, column) = (row - 1, column - 1);
                places[row] = Some(column);
            }
            Way::Omitted => row -= 1,
            Way::Between => column -= 1,
        }
    }
    places
}
