//! The runs of a project: each on a line, in a plot or on a page.

mod columns;
mod listing;
mod past_run;
mod plot;
mod run_line;
#[cfg(test)]
mod tests;
mod trend;
mod trend_page;

pub use listing::render_runs;
pub use past_run::PastRun;
pub use run_line::{RunLine, RunState};
pub use trend::render_trend;
pub use trend_page::write_trend_page;
