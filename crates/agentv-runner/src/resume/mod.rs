//! Work that a resumed run has done before.

pub(crate) mod outdated;
pub(crate) mod previous_run;
pub(crate) mod reuse;
pub(crate) mod spending;
