//! Labels: the grades that people give to answers.
//!
//! A [`Label`] belongs to an [`Answer`]: what a target said in a trial to the question of a case. The
//! same answer in another run, for example after it was graded again, has the same label. The
//! [`LabelFile`] is one line per answer, in the form that `agentv judge calibrate` reads.
//! [`Labelled`] compares labels with the verdicts of a run.

mod agreements;
mod answer;
mod label;
mod label_file;
mod labelled;

pub use agreements::EvaluatorAgreement;
pub use answer::{Answer, NoLabel};
pub use label::{Label, Labelling, Source};
pub use label_file::{LabelError, LabelFile};
pub use labelled::Labelled;
pub(crate) use labelled::{KnownAnswers, answer_of};
