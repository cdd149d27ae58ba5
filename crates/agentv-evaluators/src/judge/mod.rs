//! Asking language models for a grade: what `llm_judge` and `rubric` share.
//!
//! A `PromptSource` says what a judge is shown, a `Form` what it is to answer, a `Panel` who is asked
//! and how several answers become one. The way to an answer is a ladder: the provider's structured
//! output where it has one, else the JSON that is found in the text (`extract`), else one call that
//! shows the judge its own answer, else an error. An answer that cannot be used is never a score.
//!
//! What others wrote reaches a judge inside a `Fence`, tags that nobody can guess, and is declared to
//! be data.

mod checklist;
mod evaluator;
mod extract;
mod fence;
mod form;
mod free_form;
mod judgement;
mod ladder;
mod lenient;
mod options;
mod panel;
mod prompt_source;
mod question;
mod rubrics;
mod script;
mod template;
mod unusable;
mod variables;

pub(crate) use checklist::Checklist;
pub(crate) use evaluator::JudgeEvaluator;
pub(crate) use form::Form;
pub(crate) use options::{AGGREGATE, JUDGES, TARGET};
pub(crate) use panel::{Panel, judges};
pub(crate) use prompt_source::{PromptSource, prompt_files, runs_prompt_script};
pub(crate) use rubrics::rubrics;
pub(crate) use template::{Template, joining_prompt_problem, prompt_problem};
