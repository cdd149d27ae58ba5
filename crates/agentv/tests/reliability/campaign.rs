//! How long the tests of this program try, and with which random seed.

/// The seed of all chance in a test, which says it, so that a failure can be reproduced: that of
/// `AGENTV_SEED`, else always the same.
pub(crate) fn seed() -> u64 {
    let seed = match std::env::var("AGENTV_SEED") {
        Ok(seed) => seed.parse().expect("AGENTV_SEED is a whole number"),
        Err(_) => 20_261_115,
    };
    println!("AGENTV_SEED={seed}");
    seed
}

/// How often a test tries: `long` times in `./campaign`, which sets `AGENTV_CAMPAIGN=long`, and
/// `short` times where others wait for it.
pub(crate) fn rounds(short: usize, long: usize) -> usize {
    match std::env::var("AGENTV_CAMPAIGN") {
        Ok(form) if form == "long" => long,
        _ => short,
    }
}
