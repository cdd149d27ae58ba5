//! A grading of the answers of an earlier run: its options, its subject, its preparation.

mod answers_to_grade;
mod graded_run;
mod options;
mod prepare;
mod preview_warnings;
mod todays_files;

pub use options::GradeOptions;
pub use prepare::PreparedGrading;
