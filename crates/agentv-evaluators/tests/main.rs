//! Tests of evaluators through the public interface.

#![expect(clippy::unwrap_used, reason = "all of this is tests")]

mod aggregators;
mod building;
mod composite;
mod expectations;
mod field_accuracy;
mod figures;
mod hostile;
mod injection;
mod json_answers;
mod judges;
mod laws;
#[expect(unreachable_pub, reason = "the fuzz target includes this file as well")]
mod oracles;
mod proxy;
mod rubrics;
mod scripted;
mod scripts;
mod seeds;
mod similarity;
mod support;
mod texts;
mod tool_trajectory;
