//! Levenshtein similarity: one minus the share of letters that have to change.

use super::symbols::{Symbols, refuse_if_too_long};

/// `1 - distance / longer length`, in letters; 1 of two empty texts.
pub(super) fn similarity(answer: &str, reference: &str) -> Result<f64, String> {
    let symbols = Symbols::of_letters(answer, reference);
    let longer = symbols.first.len().max(symbols.second.len());
    if longer == 0 {
        return Ok(1.0);
    }
    let (first, second) = without_common_ends(&symbols.first, &symbols.second);
    refuse_if_too_long(first.len(), second.len())?;
    let distance = distance(first, second, symbols.count);
    Ok(1.0 - distance as f64 / longer as f64)
}

/// What is left of two texts without what they begin and end with together.
fn without_common_ends<'s>(first: &'s [u32], second: &'s [u32]) -> (&'s [u32], &'s [u32]) {
    let same = |(a, b): &(&u32, &u32)| a == b;
    let start = first.iter().zip(second).take_while(same).count();
    let (first, second) = (&first[start..], &second[start..]);
    let end = first.iter().rev().zip(second.iter().rev());
    let end = end.take_while(same).count();
    (&first[..first.len() - end], &second[..second.len() - end])
}

/// Rows of the table of distances that one word of bits holds.
const ROWS: usize = 64;
/// Blocks of so many rows that are gone through together, at most.
const LANES: usize = 4;

/// The fewest insertions, deletions and substitutions that turn one into the other.
///
/// Sixty-four rows of the table of distances are a block, each column of it two words of bits: where
/// a row is one more than the one above it, and where it is one less (Myers 1999, Hyyrö 2003). Between
/// the blocks that are gone through together only the steps along their last row are kept.
fn distance(rows: &[u32], columns: &[u32], symbols: usize) -> usize {
    let mut steps = vec![Step { more: 1, less: 0 }; columns.len()];
    let mut rows_with = vec![[0_u64; LANES]; symbols];
    let mut rest = rows;
    while !rest.is_empty() {
        let blocks = match rest.len() / ROWS {
            0 | 1 => 1,
            2 | 3 => 2,
            _ => LANES,
        };
        let (group, below) = rest.split_at(rest.len().min(blocks * ROWS));
        for (row, symbol) in group.iter().enumerate() {
            rows_with[*symbol as usize][row / ROWS] |= 1 << (row % ROWS);
        }
        let last_row = (group.len() - 1) % ROWS;
        match blocks {
            1 => Wave::<1>::at(last_row).sweep(columns, &rows_with, &mut steps),
            2 => Wave::<2>::at(last_row).sweep(columns, &rows_with, &mut steps),
            _ => Wave::<LANES>::at(last_row).sweep(columns, &rows_with, &mut steps),
        }
        for symbol in group {
            rows_with[*symbol as usize] = [0; LANES];
        }
        rest = below;
    }
    let more: u64 = steps.iter().map(|step| step.more).sum();
    let less: u64 = steps.iter().map(|step| step.less).sum();
    (rows.len() as u64 + more - less) as usize
}

/// A step along a row: 1 where the next distance is one more, and where it is one less.
#[derive(Clone, Copy)]
struct Step {
    more: u64,
    less: u64,
}

/// Blocks of rows on their way from left to right, each one column behind the one above it: so none
/// waits for another, and a processor does them at the same time.
struct Wave<const BLOCKS: usize> {
    /// The differences down the column of each block.
    more: [u64; BLOCKS],
    less: [u64; BLOCKS],
    /// The steps that each block made last along its last row.
    step_more: [u64; BLOCKS],
    step_less: [u64; BLOCKS],
    /// Which row of a block is its last.
    last_row: usize,
}

impl<const BLOCKS: usize> Wave<BLOCKS> {
    /// Blocks before the first column, where each row is one more than the one above it.
    fn at(last_row: usize) -> Wave<BLOCKS> {
        Wave {
            more: [u64::MAX; BLOCKS],
            less: [0; BLOCKS],
            step_more: [0; BLOCKS],
            step_less: [0; BLOCKS],
            last_row,
        }
    }

    /// Goes through all columns. `steps` are those along the row above the blocks, and become those
    /// along their last row; `rows_with` has the rows of each block where a symbol stands.
    fn sweep(mut self, columns: &[u32], rows_with: &[[u64; LANES]], steps: &mut [Step]) {
        let behind = BLOCKS - 1;
        for time in 0..columns.len() + behind {
            // Until the last block has begun, and after the first has ended, some have no column.
            let step = match behind <= time && time < columns.len() {
                true => {
                    let columns = &columns[time - behind..=time];
                    let rows = |block| rows_with[columns[behind - block] as usize][block];
                    self.next(each(rows), steps[time])
                }
                false => self.next_of_some(time, columns, rows_with, steps),
            };
            if let Some(column) = time.checked_sub(behind) {
                steps[column] = step;
            }
        }
    }

    /// The same for one column, where a block that has none stays as it is.
    #[inline(always)]
    fn next_of_some(
        &mut self,
        time: usize,
        columns: &[u32],
        rows_with: &[[u64; LANES]],
        steps: &[Step],
    ) -> Step {
        let symbol = |block: usize| columns.get(time.checked_sub(block)?);
        let rows = |block| symbol(block).map_or(0, |symbol| rows_with[*symbol as usize][block]);
        let (more, less) = (self.more, self.less);
        let above = steps.get(time).copied();
        let step = self.next(each(rows), above.unwrap_or(Step { more: 0, less: 0 }));
        for block in (0..BLOCKS).filter(|block| symbol(*block).is_none()) {
            (self.more[block], self.less[block]) = (more[block], less[block]);
        }
        step
    }

    /// Goes one column to the right, where the rows in `equal` have the column's symbol. Takes the
    /// step along the row above the first block, and gives the one along the last row of the last.
    #[inline(always)]
    fn next(&mut self, equal: [u64; BLOCKS], above: Step) -> Step {
        let Wave { more, less, .. } = *self;
        let above_more = below(above.more, self.step_more);
        let above_less = below(above.less, self.step_less);
        let vertical: [u64; BLOCKS] = each(|block| equal[block] | less[block]);
        let equal: [u64; BLOCKS] = each(|block| equal[block] | above_less[block]);
        let horizontal: [u64; BLOCKS] = each(|block| {
            let carried = (equal[block] & more[block]).wrapping_add(more[block]);
            (carried ^ more[block]) | equal[block]
        });
        let row_more: [u64; BLOCKS] =
            each(|block| less[block] | !(horizontal[block] | more[block]));
        let row_less: [u64; BLOCKS] = each(|block| more[block] & horizontal[block]);
        // Blocks that go together are whole, and their last row is the last bit.
        let step_of = |rows: u64| match BLOCKS {
            1 => rows >> self.last_row & 1,
            _ => rows >> (ROWS - 1),
        };
        let step_more = each(|block| step_of(row_more[block]));
        let step_less = each(|block| step_of(row_less[block]));
        (self.step_more, self.step_less) = (step_more, step_less);
        let row_more: [u64; BLOCKS] = each(|block| row_more[block] << 1 | above_more[block]);
        let row_less: [u64; BLOCKS] = each(|block| row_less[block] << 1 | above_less[block]);
        self.more = each(|block| row_less[block] | !(vertical[block] | row_more[block]));
        self.less = each(|block| row_more[block] & vertical[block]);
        Step {
            more: self.step_more[BLOCKS - 1],
            less: self.step_less[BLOCKS - 1],
        }
    }
}

/// A word for each block. Written so that a compiler makes one instruction of several blocks.
#[inline(always)]
fn each<const BLOCKS: usize>(word: impl FnMut(usize) -> u64) -> [u64; BLOCKS] {
    std::array::from_fn(word)
}

/// What each block gets from the one above it, the first from the row above all.
#[inline(always)]
fn below<const BLOCKS: usize>(above: u64, steps: [u64; BLOCKS]) -> [u64; BLOCKS] {
    each(|block| match block {
        0 => above,
        _ => steps[block - 1],
    })
}
