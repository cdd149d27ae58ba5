//! The text that users write: values with positions, shapes, diagnostics.
//!
//! Three nouns:
//!
//! - a [`Tree`] is a parsed JSON line or YAML document in which every value has its position in the
//!   text; a [`Node`] is one value of it;
//! - a [`Shape`] defines what a value may be, and [`check()`] compares a node with it; the JSON Schemas
//!   for editors come from the same shapes ([`schema`]);
//! - a [`Diagnostic`] is one problem that a person can act on: its place, what was expected, what was
//!   found, what to do.
//!
//! ```
//! use agentv_syntax::{Tree, json};
//!
//! let line = r#"{"id": "greeting", "weight": 2}"#;
//! let mut tree = Tree::default();
//! json::parse(line, &mut tree).unwrap();
//! let root = tree.root();
//! assert_eq!(root.get("id").unwrap().text(), "greeting");
//! assert_eq!(root.get("weight").unwrap().span(), 29..30);
//! ```

pub mod check;
mod code;
mod diagnostic;
mod draft;
pub mod json;
mod placed;
mod problem;
mod registry;
pub mod rubric;
pub mod schema;
pub mod shape;
mod suggest;
mod surrogates;
mod template;
mod tree;
pub mod yaml;

pub use check::{
    CheckCache, Checker, FileReference, check, check_keys, check_number_like, repeated_key,
    snake_case,
};
pub use code::Code;
pub use diagnostic::{Diagnostic, Excerpt, Lines, Severity};
pub use draft::Draft;
pub use placed::{Placed, PlacedField, PlacedValue};
pub use problem::Problem;
pub use registry::{Definitions, Registry};
pub use shape::{Field, Form, Kind, Others, Record, Shape, Text, may_name_a_file};
pub use suggest::{did_you_mean, nearest, suggested_in};
pub use template::{Missing, Tag, Template, TemplateError, Untrusted};
pub use tree::{Node, NodeKind, Tree};
