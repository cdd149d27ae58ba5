//! Jaro-Winkler similarity: letters that two texts share near the same place, and a common start.

use super::symbols::Symbols;

/// The similarity of two texts, in letters; 1 of two empty ones.
pub(super) fn similarity(answer: &str, reference: &str) -> f64 {
    /// From here on a common start counts, and how much each of its letters does.
    const BOOSTED_FROM: f64 = 0.7;
    const LONGEST_START: usize = 4;
    const BOOST: f64 = 0.1;
    let Symbols {
        first,
        second,
        count,
    } = Symbols::of_letters(answer, reference);
    let similarity = jaro(&first, &second, count);
    if similarity <= BOOSTED_FROM {
        return similarity;
    }
    let start = first.iter().zip(&second).take(LONGEST_START);
    let start = start.take_while(|(a, b)| a == b).count();
    similarity + start as f64 * BOOST * (1.0 - similarity)
}

fn jaro(first: &[u32], second: &[u32], symbols: usize) -> f64 {
    if first.is_empty() && second.is_empty() {
        return 1.0;
    }
    let (from_first, from_second) = shared(first, second, symbols);
    let matches = from_first.len();
    if matches == 0 {
        return 0.0;
    }
    let out_of_order = from_first.iter().zip(&from_second);
    let out_of_order = out_of_order.filter(|(a, b)| a != b).count();
    let matches = matches as f64;
    let in_place = matches - (out_of_order / 2) as f64;
    (matches / first.len() as f64 + matches / second.len() as f64 + in_place / matches) / 3.0
}

/// The symbols that two texts share within the window, in the order of each.
///
/// Each symbol of the first takes the earliest free one like it in the second. The window only moves
/// on, so what fell out of it is forgotten, and the whole takes linear time.
fn shared(first: &[u32], second: &[u32], symbols: usize) -> (Vec<u32>, Vec<u32>) {
    const NONE: usize = usize::MAX;
    let window = (first.len().max(second.len()) / 2).saturating_sub(1);
    // For each symbol its earliest free place in the second text, and from each place the next one.
    let mut earliest = vec![NONE; symbols];
    let mut following = vec![NONE; second.len()];
    for (place, symbol) in second.iter().enumerate().rev() {
        following[place] = std::mem::replace(&mut earliest[*symbol as usize], place);
    }
    let mut from_first = Vec::new();
    let mut is_taken = vec![false; second.len()];
    for (place, symbol) in first.iter().enumerate() {
        let free = &mut earliest[*symbol as usize];
        while *free != NONE && *free + window < place {
            *free = following[*free];
        }
        if *free != NONE && *free <= place + window {
            is_taken[*free] = true;
            *free = following[*free];
            from_first.push(*symbol);
        }
    }
    let taken = second.iter().zip(is_taken).filter(|(_, taken)| *taken);
    (from_first, taken.map(|(symbol, _)| *symbol).collect())
}
