//! The environment of targets: variables, `.env` files, and the folders around an eval file.

mod dotenv;
mod dotenv_file;
mod reference;
mod surroundings;
mod variables;

pub(crate) use reference::{Piece, pieces};
pub use surroundings::Surroundings;
pub use variables::{DotenvError, DotenvRemark, Environment};
