//! What tests and benchmarks need that users do not: eval files of any size, made from a seed.
//!
//! A case is a pure function of a seed and its index ([`cases::case`]), so a file of a million cases
//! and a test of three speak of the same ones:
//!
//! ```
//! use agentv_testkit::cases::{Shape, case};
//!
//! assert_eq!(case(Shape::Mixed, 7, 0), case(Shape::Mixed, 7, 0));
//! assert_ne!(case(Shape::Mixed, 7, 0)["id"], case(Shape::Mixed, 7, 1)["id"]);
//! ```

pub mod cases;
pub mod files;
mod prose;
mod random;

pub use random::Random;
