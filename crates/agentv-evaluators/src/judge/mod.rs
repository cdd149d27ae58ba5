//! Asking language models for a grade: the common part of `llm_judge` and `rubric`.
//!
//! A `PromptSource` provides the judge's prompt, a `Form` defines the answer, and a `Panel` lists
//! the judges and combines their answers. The answer is read from the provider's structured output
//! or from the JSON in the text (`extract`). If neither can be used, a second call shows the judge
//! its own answer. If that fails too, the result is an error: an unusable answer is never a score.
//!
//! Untrusted text reaches a judge inside a `Fence` of unguessable tags, and the judge is told that
//! it is data.

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
mod pair_form;
mod panel;
mod preference;
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
pub(crate) use preference::preference;
pub(crate) use prompt_source::{PromptSource, prompt_files, runs_prompt_script};
pub(crate) use rubrics::rubrics;
pub(crate) use template::{Template, joining_prompt_problem, prompt_problem};
