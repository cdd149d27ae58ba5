//! A small digest that is the same in every run and on every machine.

/// Returns a number that spreads evenly over all 64 bits. Different parts rarely have the same one.
pub(crate) fn digest(parts: &[&[u8]]) -> u64 {
    const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
    const PRIME: u64 = 0x0000_0100_0000_01b3;
    let mut hash = OFFSET;
    for part in parts {
        for byte in *part {
            hash = (hash ^ u64::from(*byte)).wrapping_mul(PRIME);
        }
        hash = (hash ^ 0x100).wrapping_mul(PRIME);
    }
    // Without this the last bytes would not reach the upper bits.
    hash = (hash ^ (hash >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    hash = (hash ^ (hash >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    hash ^ (hash >> 31)
}
