//! A proxy on the loopback address between one agent and its model.
//!
//! It holds the key, so that neither the agent nor the commands that it runs can see it. It counts calls,
//! tokens and cost, and refuses calls beyond the limit of turns and the budget.

mod answer;
mod call;
mod ledger;
mod meter;
mod server;
mod upstream;

pub(crate) use ledger::{Ledger, Limit, Trouble};
pub(crate) use server::{Proxy, ProxySpec};
