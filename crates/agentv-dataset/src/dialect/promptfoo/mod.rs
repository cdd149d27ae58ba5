//! Configurations of promptfoo: `prompts` × `providers` × `tests`.

mod providers;
mod recognise;
mod references;
mod suite;
mod test_case;
mod vars;

pub(super) use providers::{Provider, one as provider};
pub(super) use suite::DIALECT;
