//! Coding agents as targets: they work in the workspace of a trial.
//!
//! The nouns:
//!
//! - an [`AgentKind`] states the facts about one agent: its command, its API, its stream. Each has a
//!   file in `kinds/`;
//! - the [`AgentSettings`] are the fields of a target, the same for all agents;
//! - an [`Assignment`] is one trial for an agent, and a [`Launch`] the command line, the variables and
//!   the files with which the agent starts;
//! - a [`ReadEvents`] reads the events of one agent into a [`Draft`], which becomes the transcript.
//!
//! One provider runs them all: prompt on stdin, a clean environment, a home of its own, two deadlines,
//! and the end of the whole process tree.

mod acp_client;
mod acp_events;
mod address;
mod claude_events;
mod codex_events;
mod conclusion;
mod copilot_events;
mod draft;
mod environment;
mod gemini_events;
mod guard;
mod kind;
mod launch;
mod listen;
mod opencode_events;
mod permissions;
mod pi_events;
mod program;
mod provider;
mod proxy;
mod recording;
mod session_files;
mod settings;
#[cfg(test)]
mod tests;
mod text;
mod turn;

pub(crate) use acp_events::AcpEvents;
pub(crate) use claude_events::{ClaudeEvents, InputTokens};
pub(crate) use codex_events::CodexEvents;
pub(crate) use copilot_events::CopilotEvents;
pub(crate) use gemini_events::GeminiEvents;
pub(crate) use guard::{pi_extension, qwen_hook};
pub(crate) use kind::{AgentApi, AgentKind, ReadEvents};
pub(crate) use launch::{Assignment, Launch, OWN_KEY, OWN_PROVIDER};
pub(crate) use opencode_events::OpencodeEvents;
pub(crate) use permissions::Permissions;
pub(crate) use pi_events::PiEvents;
pub(crate) use provider::build;
pub use recording::of_recording;
