//! The server: who may ask, and what is answered.

mod access;
mod api;
mod assets;
mod compare;
mod events;
mod failure;
mod filter_text;
mod labels;
mod records;
mod serve;
mod spread;

pub use access::Binding;
pub use serve::Server;
