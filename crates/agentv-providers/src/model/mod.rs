//! Models behind the APIs of vendors.
//!
//! A [`Vendor`] is an API as data; `build` makes a provider of it and of the fields of a
//! target. An answer goes one way: a prompt becomes a conversation (`conversation`), the protocol of the
//! vendor (`wire`) carries it, and what comes back becomes a transcript (`answer`) or an error in words
//! (`failure`).

mod address;
mod answer;
mod asked_model;
mod build;
mod conversation;
mod failure;
mod media;
mod parameters;
mod price;
mod provider;
mod tools;
mod vendor;
mod vendor_error;

#[cfg(test)]
mod server;
#[cfg(test)]
mod tests;

pub(crate) use address::parse as parse_address;
pub(crate) use build::{azure, build, build_at};
use media::named_media;
pub(crate) use price::Price;
pub(crate) use vendor::{Auth, Keyless, Vendor};
