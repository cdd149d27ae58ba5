//! Templates of judge prompts.

use std::cell::RefCell;
use std::sync::Arc;

use agentv_core::Subject;
use agentv_syntax::{Code, Missing, Node, Problem, TemplateError, Untrusted};
use serde_json::Value;

use super::fence::Fence;
use super::variables::{self, NAMES, OTHER_NAMES, RESULTS};
use crate::cache::Cache;

/// A template over the variables of a judge's prompt.
#[derive(Debug)]
pub(crate) struct Template(agentv_syntax::Template);

impl Template {
    /// Parses a template.
    ///
    /// # Errors
    /// Returns the reason, with the line within the template.
    pub(crate) fn parse(source: &str) -> Result<Template, TemplateError> {
        agentv_syntax::Template::parse(source, Missing::Empty).map(Template)
    }

    /// Fills in the template for a subject. It compares and loops over the values themselves, and
    /// writes text from others inside the fence. The results of other evaluators are fenced too, since
    /// they may quote the answer.
    pub(super) fn fill(
        &self,
        subject: &Subject<'_>,
        fence: &Fence,
        results: Option<&str>,
    ) -> Result<String, TemplateError> {
        let used = variables::values(subject).filter(|(name, _)| self.uses(name));
        let results = results.map(|results| (RESULTS, Value::from(results)));
        let fence = fence.clone();
        let untrusted = Untrusted {
            names: &variables::untrusted(),
            tag: Arc::new(move |variable, text| variables::tag(&fence, variable, text)),
        };
        self.0.fill_tagged(used.chain(results), &untrusted)
    }

    fn uses(&self, name: &str) -> bool {
        self.0.variables().iter().any(|used| used == name)
    }

    /// Returns a remark about a template that is valid, but unlikely to serve its purpose.
    fn oddity(&self, purpose: Purpose) -> Option<String> {
        let known = purpose.known();
        let mut used = self.0.variables().iter();
        let is_known = |used: &str| known.contains(&used) || OTHER_NAMES.contains(&used);
        let unknown = used.find(|used| !is_known(used));
        if let Some(unknown) = unknown {
            return Some(format!(
                "unknown variable `{unknown}` in the prompt: its value is empty"
            ));
        }
        let (wanted, without) = purpose.wanted();
        (!wanted.iter().any(|name| self.uses(name))).then(|| without.to_owned())
    }
}

/// The purpose of a prompt.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Purpose {
    /// To grade an answer.
    Grade,
    /// To combine the results of evaluators.
    Join,
}

impl Purpose {
    fn known(self) -> Vec<&'static str> {
        let results = (self == Purpose::Join).then_some(RESULTS);
        NAMES.iter().copied().chain(results).collect()
    }

    /// Returns variables, one of which the prompt should use, and the remark if it uses none.
    fn wanted(self) -> (&'static [&'static str], &'static str) {
        match self {
            Purpose::Grade => (
                &[
                    "candidate_answer",
                    "expected_messages",
                    "file_changes",
                    "output",
                    "expected_output",
                ],
                "the prompt shows the judge neither `{{ candidate_answer }}` nor `{{ expected_messages }}`",
            ),
            Purpose::Join => (
                &[RESULTS],
                "the prompt does not show the judge the results (`{{ EVALUATOR_RESULTS_JSON }}`)",
            ),
        }
    }
}

/// A problem of a prompt: it cannot be parsed, or it is odd.
#[derive(Clone)]
enum Finding {
    Broken(String),
    Odd(String),
}

/// Half the number of results to keep per thread.
const KEPT: usize = 256;

type Findings = RefCell<Cache<Option<Finding>>>;

thread_local! {
    static OF_GRADES: Findings = RefCell::new(Cache::new(KEPT));
    static OF_JOINS: Findings = RefCell::new(Cache::new(KEPT));
}

/// Returns the problem of a judge's prompt.
pub(crate) fn prompt_problem(node: Node<'_>) -> Option<Problem> {
    OF_GRADES.with(|findings| problem(node, Purpose::Grade, findings))
}

/// Returns the problem of the prompt of a judge that combines results.
pub(crate) fn joining_prompt_problem(node: Node<'_>) -> Option<Problem> {
    OF_JOINS.with(|findings| problem(node, Purpose::Join, findings))
}

fn problem(node: Node<'_>, purpose: Purpose, findings: &Findings) -> Option<Problem> {
    let text = node.text();
    let key = Value::from(text.as_ref());
    let mut findings = findings.borrow_mut();
    let finding = findings.get(&key).unwrap_or_else(|| {
        let finding = match Template::parse(&text) {
            Ok(template) => template.oddity(purpose).map(Finding::Odd),
            Err(reason) => Some(Finding::Broken(reason.to_string())),
        };
        findings.put(key, finding.clone());
        finding
    })?;
    Some(match finding {
        Finding::Broken(reason) => Problem::error(
            Code::InvalidTemplate,
            node.span(),
            format!("cannot parse the prompt: {reason}"),
        ),
        Finding::Odd(oddity) => Problem::warning(Code::JudgePrompt, node.span(), oddity)
            .hint(format!("known: {}", purpose.known().join(", "))),
    })
}
