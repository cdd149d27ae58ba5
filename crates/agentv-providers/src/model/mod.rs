//! Models behind the APIs of vendors, all called through one client crate.
//!
//! A [`Vendor`] is an API as data; `build` makes a provider from it and the fields of a target. Data
//! flows in one direction: a prompt becomes a chat (`conversation`), the client calls the vendor, and the
//! response becomes a transcript (`answer`) or an error message (`failure`).

mod address;
mod answer;
mod asked_model;
mod build;
mod conversation;
mod failure;
mod price;
mod provider;
mod raw_arguments;
mod vendor;
mod vendor_error;

#[cfg(test)]
mod server;
#[cfg(test)]
mod tests;

pub(crate) use build::{azure, build, build_at};
pub(crate) use vendor::{Auth, Keyless, Protocol, Vendor};
