//! The server: who may ask, and what is answered.

mod access;
mod api;
mod assets;
mod events;
mod failure;
mod filter_text;
mod records;
mod serve;
mod spread;

pub use access::Binding;
pub use serve::Server;
