//! HTTP: the client, and its errors.

mod certificates;
mod client;
mod failure;
mod retry_after;
mod status;

pub(crate) use client::http_client;
pub(crate) use failure::network_error;
pub(crate) use retry_after::retry_after;
pub(crate) use status::status_error;
