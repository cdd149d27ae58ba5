//! The summary of a run as a text.

mod closing;
mod intervals;
pub(crate) mod page;
mod summary_page;
#[cfg(test)]
mod tests;
mod trial_page;
mod trials;

pub use closing::Closing;
pub(crate) use closing::{gate_sentence, stop_reason};
pub use summary_page::render_summary;
pub(crate) use summary_page::{cases_ran, different_judges, outdated_results};
pub use trial_page::render_trial;
pub(crate) use trials::{score, score_at};
