//! The judges of each target, and the differences between them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use agentv_core::ResultRecord;

use super::TargetJudges;

/// A fold of the calls of judges, by target.
#[derive(Debug, Clone, Default)]
pub(crate) struct JudgesFold(BTreeMap<Arc<str>, BTreeSet<Arc<str>>>);

impl JudgesFold {
    /// Adds the judges that were asked about an answer.
    pub(crate) fn add_record(&mut self, record: &ResultRecord) {
        for call in record.judge_calls() {
            // Under another name, it is still the target itself.
            let judge: &str = if call.own_answer {
                &record.target
            } else {
                &call.target
            };
            self.add(&record.target, judge);
        }
    }

    /// Adds a call of a judge about an answer of a target.
    fn add(&mut self, target: &Arc<str>, judge: &str) {
        let judges = match self.0.get_mut(target) {
            Some(judges) => judges,
            None => self.0.entry(Arc::clone(target)).or_default(),
        };
        if !judges.contains(judge) {
            judges.insert(judge.into());
        }
    }

    /// Returns the targets with their judges if two of them do not share theirs; nothing otherwise.
    pub(crate) fn finish(&self) -> Vec<TargetJudges> {
        let all: Vec<_> = self.0.iter().collect();
        let differs = all.iter().enumerate().any(|(at, one)| {
            let mut others = all[at + 1..].iter();
            others.any(|other| differ(*one, *other))
        });
        let all = all.into_iter().filter(|_| differs);
        all.map(|(target, judges)| TargetJudges {
            target: Arc::clone(target),
            judges: judges.iter().cloned().collect(),
        })
        .collect()
    }
}

type Judged<'j> = (&'j Arc<str>, &'j BTreeSet<Arc<str>>);

/// Checks if two targets have different judges. One that lacks a judge of the other has the same judges, as
/// far as trials errored before that judge was asked, unless that judge is the other target itself.
fn differ(one: Judged<'_>, other: Judged<'_>) -> bool {
    let has_more = |more: Judged<'_>, less: Judged<'_>| more.1.difference(less.1).next().is_some();
    let judges_itself =
        |one: Judged<'_>, other: Judged<'_>| one.1.contains(one.0) && !other.1.contains(one.0);
    has_more(one, other) && has_more(other, one)
        || judges_itself(one, other)
        || judges_itself(other, one)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn different(pairs: &[(&str, &str)]) -> Vec<String> {
        let mut fold = JudgesFold::default();
        for (target, judge) in pairs {
            fold.add(&Arc::from(*target), judge);
        }
        let shown = |one: TargetJudges| format!("{}: {}", one.target, one.judges.join(" "));
        fold.finish().into_iter().map(shown).collect()
    }

    #[test]
    fn targets_that_share_their_judges_are_not_listed() {
        assert!(different(&[("a", "j"), ("b", "j")]).is_empty());
        assert!(different(&[("a", "a"), ("b", "a")]).is_empty());
        // No answer of `b` reached the second judge of a panel.
        assert!(different(&[("a", "j"), ("a", "k"), ("b", "j")]).is_empty());
        assert!(different(&[("a", "j"), ("a", "k")]).is_empty());
        assert!(different(&[]).is_empty());
    }

    #[test]
    fn targets_with_different_judges_are_listed_with_them() {
        assert_eq!(different(&[("x", "y"), ("y", "x")]), ["x: y", "y: x"]);
        assert_eq!(different(&[("a", "a"), ("b", "b")]), ["a: a", "b: b"]);
        assert_eq!(
            different(&[("a", "j"), ("b", "j"), ("b", "b")]),
            ["a: j", "b: b j"]
        );
    }
}
