//! The runs of a project: each on a line, in a plot or on a page.

mod columns;
mod listing;
mod page;
mod past_run;
mod plot;
mod run_line;
#[cfg(test)]
mod tests;
mod trend;

pub use listing::render_runs;
pub use page::trend_page;
pub use past_run::PastRun;
pub use run_line::{RunLine, RunState};
pub use trend::render_trend;
