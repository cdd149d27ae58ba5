//! Statistics, compared with other implementations and with laws that must hold.

#![expect(clippy::unwrap_used, reason = "all of this is tests")]

mod agreement;
mod coverage;
mod differences;
mod expectations;
mod false_alarms;
mod laws;
mod pass_rates;
mod simulated;
