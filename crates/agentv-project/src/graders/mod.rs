//! Evaluators for the cases of a project.

mod kept_files;
mod project_graders;

pub(crate) use kept_files::{KeptFiles, joined_texts};
pub(crate) use project_graders::ProjectGraders;
