//! The language server of `agentv lsp`.
//!
//! The nouns:
//!
//! - an `OpenDocument` is the text of a file as the editor shows it;
//! - the `Checker` is a thread that runs the checks of `agentv validate` on open documents and
//!   publishes the result, so that a slow check never delays an answer;
//! - a `LooseTree` is the outline of a text that may be broken: a user who needs
//!   completion is in the middle of a line. Everything that helps with writing uses it;
//! - a `Spot` is the key or value at the cursor, with the path to it. `meaning` compares the path
//!   with the shapes of the formats, so completion and hover know whatever `validate` and the schemas know.
//!
//! ```text
//! editor ──▶ Server ──▶ Documents ──▶ Checker ──▶ diagnostics ──▶ editor
//!               └──▶ LooseTree ──▶ Spot ──▶ meaning ──▶ completion, hover, definition, quick fix
//! ```

mod address;
mod checker;
mod documents;
mod features;
mod loose;
mod meaning;
mod positions;
mod published;
mod server;
mod targets;

pub use server::{ServeError, serve};
