//! A model that calls tools, step by step, for tests of agents.
//!
//! A [`Play`] is a list of steps. The number of tool results in a request says which steps are over,
//! so that the server keeps no state. A step says what is to be done (`shell`, `write`, `read`,
//! `edit`); the tool for it and its arguments come from the schemas of the tools that the agent
//! offers.

mod action;
mod arguments;
mod patch;
mod scene;
mod script;

pub(crate) use scene::Scene;
pub(crate) use script::Next;
pub use script::{Play, PlayError};
