//! BLEU of one answer: the sequences of one to four words that it shares with the reference.

use super::symbols::Symbols;
use super::tokens::tokens;

/// The longest compared sequence of words.
const LONGEST_RUN: usize = 4;

/// Returns sentence BLEU from 0 to 1, as `sacrebleu` computes it: `13a` tokens, exponential
/// smoothing, and no sequences longer than the answer.
pub(super) fn similarity(answer: &str, reference: &str) -> f64 {
    let (answer, reference) = (tokens(answer), tokens(reference));
    let symbols = Symbols::of_words(words(&answer), words(&reference));
    let (found, expected) = (&symbols.first, &symbols.second);
    let shared = shared_runs(found, expected);
    if shared.iter().all(|shared| *shared == 0) {
        return 0.0;
    }
    let longest = LONGEST_RUN.min(found.len());
    let mut smoothing = 1.0;
    let logarithms: f64 = (1..=longest)
        .map(|length| {
            let all = (found.len() + 1 - length) as f64;
            match shared[length - 1] {
                0 => {
                    smoothing *= 2.0;
                    (1.0 / (smoothing * all)).ln()
                }
                shared => (shared as f64 / all).ln(),
            }
        })
        .sum();
    brevity(found.len(), expected.len()) * (logarithms / longest as f64).exp()
}

fn words(spaced: &str) -> impl Iterator<Item = &str> {
    spaced.split(' ').filter(|word| !word.is_empty())
}

/// Returns the penalty for an answer that is shorter than the reference.
fn brevity(found: usize, expected: usize) -> f64 {
    if found >= expected {
        return 1.0;
    }
    (1.0 - expected as f64 / found as f64).exp()
}

/// Counts the shared sequences of each length. A sequence counts as often as in the text that has
/// it less often.
fn shared_runs(found: &[u32], expected: &[u32]) -> [usize; LONGEST_RUN] {
    let mut shared = [0; LONGEST_RUN];
    // Sequences are numbered: one of three words is the number of its first two words, and the
    // third word.
    let mut found_runs = found.to_vec();
    let mut expected_runs = expected.to_vec();
    let mut runs: Vec<Run> = Vec::with_capacity(found.len() + expected.len());
    for (length, shared) in (1..).zip(&mut shared) {
        runs.clear();
        runs.extend(longer_runs(&found_runs, found, length, false));
        runs.extend(longer_runs(&expected_runs, expected, length, true));
        // A sequence with a part that is not shared is not shared either.
        found_runs.fill(ALONE);
        expected_runs.fill(ALONE);
        runs.sort_unstable_by_key(|run| run.words);
        for (number, same) in runs.chunk_by(|a, b| a.words == b.words).enumerate() {
            let in_expected = same.iter().filter(|run| run.is_expected).count();
            let in_both = in_expected.min(same.len() - in_expected);
            if in_both == 0 {
                continue;
            }
            *shared += in_both;
            for run in same {
                let numbers = if run.is_expected {
                    &mut expected_runs
                } else {
                    &mut found_runs
                };
                numbers[run.place as usize] = number as u32;
            }
        }
    }
    shared
}

/// The number of a sequence that only one of the texts has.
const ALONE: u32 = u32::MAX;

/// A sequence of words in one of the texts.
struct Run {
    /// The number of the sequence without its last word, and the last word.
    words: u64,
    place: u32,
    is_expected: bool,
}

fn longer_runs(
    shorter: &[u32],
    words: &[u32],
    length: usize,
    is_expected: bool,
) -> impl Iterator<Item = Run> {
    let last = words.iter().skip(length - 1).enumerate();
    last.filter(move |(place, _)| length == 1 || shorter[*place] != ALONE)
        .map(move |(place, word)| Run {
            words: match length {
                1 => u64::from(*word),
                _ => u64::from(shorter[place]) << 32 | u64::from(*word),
            },
            place: place as u32,
            is_expected,
        })
}
