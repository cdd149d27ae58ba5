//! The file formats that cases are read from. A format is one file here and one line in [`ALL`].

mod chunks;
mod csv;
mod jsonl;
mod kind;
mod regular_file;
mod row;
mod source;
mod suite;
mod unchanged;
mod unpacked;

pub(crate) use csv::CsvFile;
pub(crate) use kind::FormatKind;
pub(crate) use regular_file::{open_regular, unreadable};
pub(crate) use row::{Origin, Row, Rows, WrittenRow};
pub(crate) use source::{EvalSource, Findings, Inspect, Scratch};
pub(crate) use suite::{Document, read_text};

/// Every format.
pub(crate) const ALL: &[FormatKind] = &[suite::FORMAT, jsonl::FORMAT, csv::FORMAT];
