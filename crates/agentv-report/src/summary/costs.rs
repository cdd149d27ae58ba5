//! The costs of some trials: of the answers and of the judges, which are separate figures.

use std::collections::BTreeSet;
use std::sync::Arc;

use agentv_core::ResultRecord;
use serde::{Deserialize, Serialize};

use super::amount::Amount;
use crate::figures::money;
use crate::text::one_line;

/// The costs of some trials in US dollars. The cost of the judges is never part of that of a target.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Costs {
    /// The cost of the answers, as far as it is known. Answers from the cache cost nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
    /// The targets whose answers used tokens at an unknown price, by name. `cost_usd` lacks their cost.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unpriced: Vec<Arc<str>>,
    /// The cost of the judges, as far as it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judge_cost_usd: Option<f64>,
    /// The judges that used tokens at an unknown price, by name. `judge_cost_usd` lacks their cost.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unpriced_judges: Vec<Arc<str>>,
}

impl Costs {
    /// Returns the cost of the answers in words, marked if a part of it is unknown; `None` if nothing is
    /// known about it.
    pub(crate) fn of_answers(&self) -> Option<String> {
        marked(self.cost_usd, !self.unpriced.is_empty())
    }

    /// Returns the cost of the judges in words, marked if a part of it is unknown.
    pub(crate) fn of_judges(&self) -> Option<String> {
        marked(self.judge_cost_usd, !self.unpriced_judges.is_empty())
    }

    /// Returns both costs in words, as far as something is known about them.
    pub(crate) fn in_words(&self) -> Vec<String> {
        let judges = self.of_judges().map(|cost| format!("judges {cost}"));
        self.of_answers().into_iter().chain(judges).collect()
    }

    /// Returns both costs and, if both are known, their sum in words. Everyone without a known price is
    /// named.
    pub(crate) fn in_full(&self) -> Vec<String> {
        let answers = with_names(self.of_answers(), &self.unpriced);
        let judges = with_names(self.of_judges(), &self.unpriced_judges);
        let is_partial = !self.unpriced.is_empty() || !self.unpriced_judges.is_empty();
        let sum = self.cost_usd.zip(self.judge_cost_usd);
        let sum = sum.and_then(|(answers, judges)| marked(Some(answers + judges), is_partial));
        let parts = [
            answers,
            judges.map(|cost| format!("judges {cost}")),
            sum.map(|cost| format!("total {cost}")),
        ];
        parts.into_iter().flatten().collect()
    }
}

fn marked(known: Option<f64>, is_partial: bool) -> Option<String> {
    match (known.map(money), is_partial) {
        (known, false) => known,
        (Some(known), true) => Some(format!("{known} + unpriced")),
        (None, true) => Some("unpriced".to_owned()),
    }
}

fn with_names(cost: Option<String>, names: &[Arc<str>]) -> Option<String> {
    let names: Vec<String> = names.iter().map(|name| one_line(name)).collect();
    match names.is_empty() {
        true => cost,
        false => cost.map(|cost| format!("{cost}: {}", names.join(", "))),
    }
}

/// A fold of records into [`Costs`].
#[derive(Debug, Clone, Default)]
pub(crate) struct CostFold {
    answers: Option<Amount>,
    unpriced: BTreeSet<Arc<str>>,
    judges: Option<Amount>,
    unpriced_judges: BTreeSet<Arc<str>>,
}

impl CostFold {
    pub(crate) fn add(&mut self, record: &ResultRecord) {
        self.add_answer(
            record.answer_cost_usd(),
            record.is_unpriced(),
            &record.target,
        );
        let unpriced = record.unpriced_judges();
        self.add_judges(record.judge_cost_usd(), unpriced);
    }

    /// Adds the cost of an answer of a target.
    pub(crate) fn add_answer(&mut self, cost: Option<f64>, is_unpriced: bool, target: &Arc<str>) {
        add(&mut self.answers, cost);
        if is_unpriced && !self.unpriced.contains(target) {
            self.unpriced.insert(Arc::clone(target));
        }
    }

    /// Adds the cost of the judges of an answer.
    pub(crate) fn add_judges<'n>(
        &mut self,
        cost: Option<f64>,
        unpriced: impl Iterator<Item = &'n str>,
    ) {
        add(&mut self.judges, cost);
        for judge in unpriced {
            if !self.unpriced_judges.contains(judge) {
                self.unpriced_judges.insert(Arc::from(judge));
            }
        }
    }

    pub(crate) fn finish(&self) -> Costs {
        Costs {
            cost_usd: self.answers.map(Amount::dollars),
            unpriced: self.unpriced.iter().cloned().collect(),
            judge_cost_usd: self.judges.map(Amount::dollars),
            unpriced_judges: self.unpriced_judges.iter().cloned().collect(),
        }
    }
}

fn add(sum: &mut Option<Amount>, cost: Option<f64>) {
    if let Some(amount) = cost.and_then(Amount::of) {
        sum.get_or_insert_default().add(amount);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn costs(
        cost: Option<f64>,
        unpriced: &[&str],
        judges: Option<f64>,
        of_judges: &[&str],
    ) -> Costs {
        let names = |names: &[&str]| names.iter().map(|name| Arc::from(*name)).collect();
        Costs {
            cost_usd: cost,
            unpriced: names(unpriced),
            judge_cost_usd: judges,
            unpriced_judges: names(of_judges),
        }
    }

    #[test]
    fn a_target_without_a_price_does_not_have_the_cost_of_its_judge() {
        let found = costs(None, &["a"], Some(0.0001), &[]);
        assert_eq!(found.in_words().join(", "), "unpriced, judges $0.0001");
        assert_eq!(found.in_full().join(", "), "unpriced: a, judges $0.0001");
    }

    #[test]
    fn a_sum_with_an_unknown_part_is_marked() {
        let found = costs(Some(0.12), &["b"], Some(0.01), &["j", "k"]);
        assert_eq!(
            found.in_words().join(", "),
            "$0.1200 + unpriced, judges $0.0100 + unpriced"
        );
        assert_eq!(
            found.in_full().join(" · "),
            "$0.1200 + unpriced: b · judges $0.0100 + unpriced: j, k · total $0.1300 + unpriced"
        );
        let known = costs(Some(0.12), &[], Some(0.01), &[]);
        assert_eq!(
            known.in_full().join(" · "),
            "$0.1200 · judges $0.0100 · total $0.1300"
        );
        assert_eq!(costs(None, &[], None, &[]).in_full(), Vec::<String>::new());
        assert_eq!(costs(Some(0.0), &[], None, &[]).in_full(), ["$0.00"]);
    }
}
