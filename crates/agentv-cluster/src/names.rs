//! The names of streams, subjects and buckets.

use std::fmt;
use std::str::FromStr;

use crate::error::ClusterError;

/// The name of the description of a run in its store.
pub(crate) const SPEC: &str = "spec";

/// The name of an engine. Several can share one server without noticing each other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EngineName(String);

impl Default for EngineName {
    fn default() -> EngineName {
        EngineName("default".to_owned())
    }
}

impl fmt::Display for EngineName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for EngineName {
    type Err = ClusterError;

    fn from_str(text: &str) -> Result<EngineName, ClusterError> {
        let is_allowed = |letter: char| letter.is_ascii_alphanumeric() || "-_".contains(letter);
        if (1..=32).contains(&text.len()) && text.chars().all(is_allowed) {
            Ok(EngineName(text.to_owned()))
        } else {
            Err(ClusterError::Name(text.to_owned()))
        }
    }
}

impl EngineName {
    /// The subject of announcements of runs.
    pub(crate) fn announcements(&self) -> String {
        format!("agentv.{}.announce", self.0)
    }

    /// The subject of reports of workers.
    pub(crate) fn workers(&self) -> String {
        format!("agentv.{}.worker", self.0)
    }

    /// The beginning of the names of all streams.
    pub(crate) fn streams(&self) -> String {
        format!("agentv-{}-run-", self.0)
    }

    /// The names of a run.
    pub(crate) fn run(&self, run: &str) -> RunNames {
        let is_allowed = |letter: char| letter.is_ascii_alphanumeric() || "-_".contains(letter);
        let run: String = run
            .chars()
            .map(|letter| if is_allowed(letter) { letter } else { '_' })
            .collect();
        RunNames {
            subjects: format!("agentv.{}.{run}", self.0),
            streams: format!("{}{run}", self.streams()),
            run,
        }
    }
}

/// The names of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RunNames {
    run: String,
    subjects: String,
    streams: String,
}

impl RunNames {
    /// The id of the run, as names contain it.
    pub(crate) fn id(&self) -> String {
        self.run.clone()
    }

    /// The stream of trials.
    pub(crate) fn trials(&self) -> String {
        format!("{}-trials", self.streams)
    }

    /// The subjects of that stream.
    pub(crate) fn trial_subjects(&self) -> String {
        format!("{}.trial.*.*", self.subjects)
    }

    /// The subject of a trial.
    pub(crate) fn trial(&self, lane: usize, key: &str) -> String {
        format!("{}.trial.{lane}.{key}", self.subjects)
    }

    /// The subjects of the trials of a lane.
    pub(crate) fn lane_subjects(&self, lane: usize) -> String {
        format!("{}.trial.{lane}.*", self.subjects)
    }

    /// The consumer of the trials of a lane.
    pub(crate) fn lane_consumer(lane: usize) -> String {
        format!("lane-{lane}")
    }

    /// The subjects on which the server reports trials that were delivered too often.
    pub(crate) fn advisories(&self) -> String {
        format!(
            "$JS.EVENT.ADVISORY.CONSUMER.MAX_DELIVERIES.{}.>",
            self.trials()
        )
    }

    /// The stream of news.
    pub(crate) fn news_stream(&self) -> String {
        format!("{}-news", self.streams)
    }

    /// The subject of news.
    pub(crate) fn news(&self) -> String {
        format!("{}.news", self.subjects)
    }

    /// The object store.
    pub(crate) fn store(&self) -> String {
        format!("{}-files", self.streams)
    }

    /// The subject of events.
    pub(crate) fn events(&self) -> String {
        format!("{}.event", self.subjects)
    }

    /// The subject of questions.
    pub(crate) fn questions(&self) -> String {
        format!("{}.ask", self.subjects)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_no_letters_that_subjects_forbid() {
        let names = EngineName::default().run("2026-11-16T09.30 a*b");
        assert_eq!(
            names.trial(2, "k"),
            "agentv.default.2026-11-16T09_30_a_b.trial.2.k"
        );
        assert!("a b".parse::<EngineName>().is_err());
        assert!("a.b".parse::<EngineName>().is_err());
        assert!("".parse::<EngineName>().is_err());
    }
}
