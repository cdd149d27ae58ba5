//! Agents as targets, with a fake agent that replays recordings of real ones.

mod acp;
mod conduct;
mod proxy;
mod sandbox;
mod settings;
mod stage;
mod transcripts;

use libtest_mimic::Trial;

pub(crate) fn trials() -> Vec<Trial> {
    [
        transcripts::trials(),
        acp::trials(),
        conduct::trials(),
        proxy::trials(),
        settings::trials(),
        sandbox::trials(),
    ]
    .into_iter()
    .flatten()
    .collect()
}
