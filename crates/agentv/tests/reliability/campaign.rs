//! The number of attempts of these tests, and their random seed.

/// Returns the random seed of a test, and prints it, so that a failure can be reproduced. `AGENTV_SEED`
/// sets it (default: a fixed number).
pub(crate) fn seed() -> u64 {
    let seed = match std::env::var("AGENTV_SEED") {
        Ok(seed) => seed.parse().expect("AGENTV_SEED is a whole number"),
        Err(_) => 20_261_115,
    };
    println!("AGENTV_SEED={seed}");
    seed
}

/// Returns the number of attempts of a test: `long` in `./campaign`, which sets `AGENTV_CAMPAIGN=long`, and
/// otherwise `short`.
pub(crate) fn rounds(short: usize, long: usize) -> usize {
    match std::env::var("AGENTV_CAMPAIGN") {
        Ok(form) if form == "long" => long,
        _ => short,
    }
}
