//! What users write, before it means anything: values with positions, shapes, diagnostics.
//!
//! Three nouns:
//!
//! - a [`Tree`] is a parsed JSON line or YAML document in which every value knows its place in the
//!   text; a [`Node`] is one value of it;
//! - a [`Shape`] says what may be written in a place, and [`check()`] holds a node against it; the
//!   JSON Schemas for editors come from the same shapes ([`schema`]);
//! - a [`Diagnostic`] is one problem that a person can act on: where, what was expected, what was
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
mod guesses;
pub mod json;
mod problem;
mod registry;
pub mod rubric;
pub mod schema;
pub mod shape;
mod suggest;
mod template;
mod tree;
pub mod yaml;

pub use check::{Checker, Found, check, check_keys, repeated_key};
pub use code::Code;
pub use diagnostic::{Diagnostic, Excerpt, Lines, Severity};
pub use draft::Draft;
pub use guesses::Guesses;
pub use problem::Problem;
pub use registry::{Definitions, Registry};
pub use shape::{Field, Form, Kind, Others, Record, Shape, Text, may_name_a_file};
pub use suggest::nearest;
pub use template::{Missing, Template, TemplateError};
pub use tree::{Node, NodeKind, Tree};
