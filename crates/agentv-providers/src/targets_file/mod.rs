//! The format of `targets.yaml`: its shape, its schema, and its checks.

mod check;
mod dialect;
mod fields;
mod model_check;
mod provider_id;
mod schema;
mod shape;
mod suite;
mod variables;

pub(crate) use check::{TargetProblem, inspect};
pub use check::{check, unless_needed};
pub(crate) use dialect::parse;
pub(crate) use fields::{WrittenTarget, check_spellings, field, inside};
pub use schema::schema;
pub use shape::{REGISTRY, TARGETS_FILE};
pub(crate) use suite::translated;
pub use suite::{SuiteProviders, suite_as_yaml};
pub use variables::unset_variables;
