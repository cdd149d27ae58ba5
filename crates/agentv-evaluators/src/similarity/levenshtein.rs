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

/// The fewest insertions, deletions and substitutions that turn one into the other.
///
/// Sixty-four rows of the table of distances at a time, each column as two words of bits: where a row
/// is one more than the one above it, and where it is one less (Myers 1999, Hyyrö 2003). Between the
/// blocks only the steps along their last row are kept.
fn distance(rows: &[u32], columns: &[u32], symbols: usize) -> usize {
    let mut steps = vec![1_i8; columns.len()];
    let mut rows_with = vec![0_u64; symbols];
    for block in rows.chunks(64) {
        for (row, symbol) in block.iter().enumerate() {
            rows_with[*symbol as usize] |= 1 << row;
        }
        let last_row = 1 << (block.len() - 1);
        let mut column = Column {
            more: u64::MAX,
            less: 0,
        };
        for (symbol, step) in columns.iter().zip(&mut steps) {
            *step = column.next(rows_with[*symbol as usize], *step, last_row);
        }
        for symbol in block {
            rows_with[*symbol as usize] = 0;
        }
    }
    let along_the_last_row: isize = steps.iter().map(|step| *step as isize).sum();
    rows.len().saturating_add_signed(along_the_last_row)
}

/// The differences down a column of sixty-four rows.
struct Column {
    more: u64,
    less: u64,
}

impl Column {
    /// Goes one column to the right, where the rows in `equal` have the column's symbol. Takes the
    /// step along the row above the block, and gives the one along its last row.
    #[inline]
    fn next(&mut self, equal: u64, above: i8, last_row: u64) -> i8 {
        let vertical = equal | self.less;
        let equal = equal | u64::from(above < 0);
        let horizontal = ((equal & self.more).wrapping_add(self.more) ^ self.more) | equal;
        let more = self.less | !(horizontal | self.more);
        let less = self.more & horizontal;
        let step = i8::from(more & last_row != 0) - i8::from(less & last_row != 0);
        let more = more << 1 | u64::from(above > 0);
        let less = less << 1 | u64::from(above < 0);
        self.more = less | !(vertical | more);
        self.less = more & vertical;
        step
    }
}
