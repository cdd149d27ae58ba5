//! `skill_used`: the target used a skill.

use std::sync::Arc;

use agentv_core::{Evaluation, Evaluator, EvaluatorError, Subject, ToolCall};
use agentv_syntax::shape::FILLED;
use agentv_syntax::{Field, Kind, Others, Record};
use serde_json::Value;

use crate::builder::Builder;
use crate::check::{Check, evaluator};
use crate::error::BuildError;
use crate::kind::{EvaluatorKind, Facts};
use crate::options::Options;
use crate::words::quoted;

pub(crate) static KIND: EvaluatorKind = EvaluatorKind {
    kind: Kind {
        name: "skill_used",
        aliases: &[],
        doc: "Passes if the target used a skill: it called the tool `Skill` with its name, read a file in `skills/NAME/`, or a tool's output names such a file.",
        options: Record {
            name: "skill_used",
            fields: &[Field {
                name: "skill",
                shape: &FILLED,
                doc: "The name of the skill.",
            }],
            required: &[&["skill"]],
            others: Others::Warn,
        },
        shorthand: Some("skill"),
    },
    example: "\
- skill_used: csv-analyzer
- {type: skill_used, skill: csv-analyzer, negate: true}
",
    facts: Facts::CHECK,
    build,
};

fn build(options: &Options<'_>, _: &Builder) -> Result<Arc<dyn Evaluator>, BuildError> {
    let skill = options.required_text("skill")?.to_owned();
    Ok(evaluator(SkillUsed {
        folder: format!("skills/{skill}/"),
        skill,
    }))
}

struct SkillUsed {
    skill: String,
    /// The part of a path that is a file of the skill.
    folder: String,
}

impl Check for SkillUsed {
    fn check(&self, subject: &Subject<'_>) -> Result<Evaluation, EvaluatorError> {
        let mut calls = subject.transcript.tool_calls();
        let used = calls.find(|call| self.is_used_by(call));
        let skill = quoted(&self.skill);
        let fact = match used {
            Some(call) => format!("used the skill {skill}: {}", quoted(&call.tool)),
            None => format!("did not use the skill {skill}"),
        };
        Ok(Evaluation::check(used.is_some(), fact))
    }
}

impl SkillUsed {
    fn is_used_by(&self, call: &ToolCall) -> bool {
        let input = |name: &str| call.input.as_ref()?.get(name)?.as_str();
        let asked = match call.tool.to_ascii_lowercase().as_str() {
            "skill" => input("skill").is_some_and(|skill| skill.contains(&self.skill)),
            "read" => input("file_path")
                .or_else(|| input("path"))
                .is_some_and(|path| path.contains(&self.folder)),
            _ => false,
        };
        asked
            || call
                .output
                .as_ref()
                .is_some_and(|output| self.is_named_in(output))
    }

    fn is_named_in(&self, output: &Value) -> bool {
        match output {
            Value::String(text) => text.contains(&self.folder),
            other => other.to_string().contains(&self.folder),
        }
    }
}
