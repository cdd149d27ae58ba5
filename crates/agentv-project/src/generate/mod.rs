//! Drafts that a target writes: checklists for cases, and cases from documents.

mod author;
mod cases;
mod items;
mod rubrics;

pub use author::{Author, GenerateError};
pub use cases::{DraftedCases, draft_cases};
pub use rubrics::{DraftedRubrics, draft_rubrics};
