//! The outline of a text that may be broken, and the place of the cursor in it.

mod block;
mod flow;
mod spot;
mod tree;

pub(crate) use spot::{Spot, SpotKind, Step, with_cursor};
pub(crate) use tree::{LooseNode, LooseTree};
