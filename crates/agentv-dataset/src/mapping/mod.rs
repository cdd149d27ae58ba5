//! Rows of any origin as cases: the `fields` and the `prompt` of a sidecar.

mod row_map;
mod source;

pub(crate) use row_map::RowMap;
pub(crate) use source::MappedSource;
