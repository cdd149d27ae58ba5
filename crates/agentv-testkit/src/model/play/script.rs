//! The steps of a play, and the choice of the next one.

use std::str::FromStr;

use serde_json::Value;

use super::action::Action;
use super::scene::Scene;
use crate::model::bodies::Call;

/// Steps that call tools, for one prompt or for several.
///
/// ```
/// let play: agentv_testkit::model::Play = r#"[{"steps": [
///     {"say": "I write a file.", "calls": [{"write": "a.txt", "content": "A\n"}]},
///     {"calls": [{"shell": "cat a.txt"}, {"shell": "exit 3"}]},
///     {"say": "Done."}
/// ]}]"#.parse().unwrap();
/// ```
///
/// With several plays, the first is used whose `when` occurs in the request; one without `when` always
/// is.
#[derive(Debug, Clone, PartialEq)]
pub struct Play {
    parts: Vec<Part>,
}

#[derive(Debug, Clone, PartialEq)]
struct Part {
    when: String,
    steps: Vec<Step>,
}

#[derive(Debug, Clone, PartialEq)]
struct Step {
    say: String,
    calls: Vec<Action>,
}

/// A play that cannot be read.
#[derive(Debug, PartialEq, Eq)]
pub struct PlayError(String);

impl std::fmt::Display for PlayError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "not a play: {}", self.0)
    }
}

impl std::error::Error for PlayError {}

/// The next answer of the model.
#[derive(Debug, PartialEq)]
pub(crate) enum Next<'p> {
    Text(&'p str),
    Calls(&'p str, Vec<Call>),
}

/// The answer to a request for anything but the next step, such as a title.
const ASIDE: &str = "A scripted task";
/// The answer if there is no tool for a step.
const NO_TOOL: &str = "There is no tool for this step.";
/// The answer after the last step.
const END: &str = "The script is over.";

impl Play {
    /// Returns what the model says next.
    pub(crate) fn next(&self, scene: &Scene) -> Next<'_> {
        if scene.tools.is_empty() {
            return Next::Text(ASIDE);
        }
        let mut parts = self.parts.iter();
        let Some(part) = parts.find(|part| scene.text.contains(&part.when)) else {
            return Next::Text(END);
        };
        let mut over = 0;
        for step in &part.steps {
            if over >= scene.results {
                return step.next(scene);
            }
            over += step.calls.len();
        }
        Next::Text(END)
    }
}

impl Step {
    fn next(&self, scene: &Scene) -> Next<'_> {
        let calls: Vec<Call> = self
            .calls
            .iter()
            .filter_map(|action| action.call(scene))
            .collect();
        match (calls.is_empty(), self.calls.is_empty()) {
            (true, true) => Next::Text(&self.say),
            (true, false) => Next::Text(NO_TOOL),
            (false, _) => Next::Calls(&self.say, calls),
        }
    }
}

impl FromStr for Play {
    type Err = PlayError;

    fn from_str(text: &str) -> Result<Play, PlayError> {
        let parts: Value =
            serde_json::from_str(text).map_err(|error| PlayError(error.to_string()))?;
        let parts = parts.as_array().ok_or_else(|| wrong("an array", &parts))?;
        let parts = parts.iter().map(part).collect::<Result<_, _>>()?;
        Ok(Play { parts })
    }
}

fn part(value: &Value) -> Result<Part, PlayError> {
    let steps = value["steps"].as_array();
    let steps = steps.ok_or_else(|| wrong("`steps`", value))?;
    Ok(Part {
        when: value["when"].as_str().unwrap_or_default().to_owned(),
        steps: steps.iter().map(step).collect::<Result<_, _>>()?,
    })
}

fn step(value: &Value) -> Result<Step, PlayError> {
    let calls = value["calls"].as_array().into_iter().flatten();
    let calls = calls.map(|call| Action::of(call).ok_or_else(|| wrong("an action", call)));
    Ok(Step {
        say: value["say"].as_str().unwrap_or_default().to_owned(),
        calls: calls.collect::<Result<_, _>>()?,
    })
}

fn wrong(expected: &str, found: &Value) -> PlayError {
    PlayError(format!("expected {expected} in {found}"))
}
