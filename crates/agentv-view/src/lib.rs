//! The page on runs: an index of run folders, and a server on the loopback.
//!
//! Three nouns:
//!
//! - A [`RunIndex`](index::RunIndex) knows where each record of a run is, and finds trials by any
//!   filter. It is built once and kept beside the run.
//! - [`Runs`] are the runs of a results folder. An [`OpenRun`] has an index that follows the run while
//!   it is written.
//! - A [`Server`] answers requests of the page. It checks who is asking before anything else, writes
//!   nothing but [`labels`], and reads nothing outside of the results folder.
//!
//! The page is the app of the HTML report (`agentv-report`) with another source of data.

mod bundle;
mod comparisons;
pub mod index;
pub mod labels;
mod open_run;
mod platform;
mod run_list;
mod runs;
mod server;
mod stored_facts;
mod view_error;

pub use bundle::Bundle;
pub use comparisons::{Column, Comparison};
pub use open_run::{Facts, OpenRun};
pub use run_list::ListedRun;
pub use runs::Runs;
pub use server::{Binding, Server};
pub use view_error::ViewError;
