//! Which calls are the expected ones, where others may stand between them.

use agentv_core::ToolCall;
use thiserror::Error;

use super::expected::ExpectedCall;

/// The most pairs of an expected and a made call that are compared.
const MOST_PAIRS: usize = 16_000_000;

/// The calls are so many that the search would take too long.
#[derive(Debug, Error)]
#[error("{made} tool calls and {expected} expected ones are too many to compare")]
pub(super) struct TooManyCalls {
    made: usize,
    expected: usize,
}

/// What is best, in this order: calls matched, limits met, limits not counted.
type Merit = (u32, u32, u32);

/// How an expected call was treated where it met a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    /// It is this call.
    Matched,
    /// It stands elsewhere, or nowhere.
    LeftOut,
    /// The call is none that is expected.
    Between,
}

/// For each expected call the place of the one that matches it, all in order, so that as many as
/// possible match; among those, so that as many as possible are in time.
///
/// # Errors
/// When there are so many calls that the search would take too long.
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
    // The merit of the best alignment of what came so far, for each number of calls.
    let mut above: Vec<Merit> = vec![(0, 0, 0); width + 1];
    for wanted in expected {
        let mut row: Vec<Merit> = Vec::with_capacity(width + 1);
        row.push((0, 0, 0));
        for (place, call) in calls.iter().enumerate() {
            let left_out = (above[place + 1], Way::LeftOut);
            let between = (row[place], Way::Between);
            let mut best = if between.0 > left_out.0 {
                between
            } else {
                left_out
            };
            if wanted.matches(call) {
                let matched = added(above[place], merit(wanted, call));
                // Of equally good ones the earliest call, as a person would find it.
                if matched > best.0 || (matched == best.0 && best.1 == Way::LeftOut) {
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

/// Goes back from the end along the ways that were taken.
fn traced(ways: &[Way], height: usize, width: usize) -> Vec<Option<usize>> {
    let mut places = vec![None; height];
    let (mut row, mut column) = (height, width);
    while row > 0 && column > 0 {
        match ways[(row - 1) * width + column - 1] {
            Way::Matched => {
                (row, column) = (row - 1, column - 1);
                places[row] = Some(column);
            }
            Way::LeftOut => row -= 1,
            Way::Between => column -= 1,
        }
    }
    places
}
