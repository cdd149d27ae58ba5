//! The tools of a model target: fixed outputs, commands, and those of MCP servers.
//!
//! The field `tools` is a list of `entries`. The `toolbox` knows what the model is offered, and runs its
//! calls: an output is looked up, a `command` is run, and an MCP server is asked (`mcp`).

mod command;
mod entries;
mod failure;
mod mcp;
mod output;
mod toolbox;

use failure::ToolFailure;
use output::CallOutput;
pub(super) use toolbox::Tools;
