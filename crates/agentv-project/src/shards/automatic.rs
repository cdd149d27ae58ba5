//! The shard that the engine around this process gives it, by environment variables.

use agentv_providers::Environment;
use agentv_runner::Shard;

use crate::error::ProjectError;
use crate::notices::Notices;
use crate::project::Project;

/// The variables in which an engine gives a process its number.
struct Engine {
    index: &'static str,
    /// The number of the first process.
    first: First,
    count: &'static str,
}

/// The number of the first process.
enum First {
    Number(u64),
    /// The variables with the first number, the last one, and the step between two.
    Array {
        first: &'static str,
        last: &'static str,
        step: &'static str,
    },
}

/// The variable with the number of shards, for engines that do not set one.
const COUNT: &str = "AGENTV_SHARD_COUNT";

const ENGINES: [Engine; 8] = [
    Engine {
        index: "AGENTV_SHARD_INDEX",
        first: First::Number(0),
        count: COUNT,
    },
    // Kubernetes, in an indexed job.
    Engine {
        index: "JOB_COMPLETION_INDEX",
        first: First::Number(0),
        count: COUNT,
    },
    // Slurm, in a job array.
    Engine {
        index: "SLURM_ARRAY_TASK_ID",
        first: First::Array {
            first: "SLURM_ARRAY_TASK_MIN",
            last: "SLURM_ARRAY_TASK_MAX",
            step: "SLURM_ARRAY_TASK_STEP",
        },
        count: "SLURM_ARRAY_TASK_COUNT",
    },
    // GitLab, with `parallel`.
    Engine {
        index: "CI_NODE_INDEX",
        first: First::Number(1),
        count: "CI_NODE_TOTAL",
    },
    // Buildkite, with `parallelism`.
    Engine {
        index: "BUILDKITE_PARALLEL_JOB",
        first: First::Number(0),
        count: "BUILDKITE_PARALLEL_JOB_COUNT",
    },
    // CircleCI, with `parallelism`.
    Engine {
        index: "CIRCLE_NODE_INDEX",
        first: First::Number(0),
        count: "CIRCLE_NODE_TOTAL",
    },
    // Azure Pipelines, with `strategy.parallel`.
    Engine {
        index: "SYSTEM_JOBPOSITIONINPHASE",
        first: First::Number(1),
        count: "SYSTEM_TOTALJOBSINPHASE",
    },
    // AWS Batch, in an array job.
    Engine {
        index: "AWS_BATCH_JOB_ARRAY_INDEX",
        first: First::Number(0),
        count: COUNT,
    },
];

impl Project {
    /// Returns the shard that the variables of an engine give to this process: of Kubernetes, Slurm, a CI
    /// system, or those that the user set.
    ///
    /// # Errors
    /// If no variables are set, or if their values name no shard.
    pub fn automatic_shard(&self, notices: &mut dyn Notices) -> Result<Shard, ProjectError> {
        let environment = self.environment();
        let engine = ENGINES.iter().find(|engine| engine.is_here(environment));
        let Some(engine) = engine else {
            return Err(ProjectError::with_hint(
                "`--shard auto` found no variable with the number of this machine",
                Some(format!(
                    "set `AGENTV_SHARD_INDEX` (from 0) and `{COUNT}`, or give `--shard I/N`"
                )),
            ));
        };
        let shard = engine.shard(environment)?;
        notices.note(format!(
            "this is shard {shard}, by `{}` and `{}`",
            engine.index, engine.count
        ));
        Ok(shard)
    }
}

impl Engine {
    fn is_here(&self, environment: &Environment) -> bool {
        environment.get(self.index).is_some()
    }

    fn shard(&self, environment: &Environment) -> Result<Shard, ProjectError> {
        let index = number(environment, self.index)?;
        if self.count == COUNT && environment.get(COUNT).is_none() {
            return Err(ProjectError::with_hint(
                format!("`{}` is set, but not the number of shards", self.index),
                Some(format!("set `{COUNT}` to the number of shards")),
            ));
        }
        let count = number(environment, self.count)?;
        let position = self.position(environment, index, count)?;
        Shard::new(position.saturating_add(1), count).ok_or_else(|| {
            ProjectError::because(format!(
                "`{}` is {index} and `{}` is {count}: expected {}",
                self.index,
                self.count,
                self.expected(),
            ))
        })
    }

    /// Returns the position of this process, from 0.
    fn position(
        &self,
        environment: &Environment,
        index: u64,
        count: u64,
    ) -> Result<u64, ProjectError> {
        match self.first {
            First::Number(first) => Ok(index.checked_sub(first).unwrap_or(u64::MAX)),
            First::Array { first, last, step } => {
                let (first, last) = (number(environment, first)?, number(environment, last)?);
                let step = match environment.get(step) {
                    Some(_) => number(environment, step)?.max(1),
                    None => 1,
                };
                // An array such as `1,3,7` has no regular numbers.
                let is_regular = last.saturating_sub(first) / step + 1 == count
                    && index.saturating_sub(first) % step == 0;
                if !is_regular {
                    return Err(ProjectError::with_hint(
                        format!("the job array of `{}` has gaps", self.index),
                        Some("use an array without gaps, such as `--array=1-8`".to_owned()),
                    ));
                }
                Ok(index.checked_sub(first).unwrap_or(u64::MAX) / step)
            }
        }
    }

    fn expected(&self) -> String {
        match self.first {
            First::Number(0) => "an index from 0 that is less than the count".to_owned(),
            First::Number(first) => format!("an index from {first} to the count"),
            First::Array { .. } => "an index within the array".to_owned(),
        }
    }
}

fn number(environment: &Environment, name: &str) -> Result<u64, ProjectError> {
    let Some(text) = environment.get(name) else {
        return Err(ProjectError::because(format!(
            "`--shard auto` needs the variable `{name}`, which is not set"
        )));
    };
    text.trim().parse().map_err(|_| {
        ProjectError::because(format!(
            "the variable `{name}` is `{text}`: expected a whole number"
        ))
    })
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::notices::Notice;

    fn shard(variables: &[(&str, &str)]) -> Result<String, String> {
        let variables = variables.iter();
        let variables = variables.map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        let project = Project::at(PathBuf::from("/"), Environment::new(variables));
        let mut notices: Vec<Notice> = Vec::new();
        let shard = project.automatic_shard(&mut notices);
        shard
            .map(|shard| shard.to_string())
            .map_err(|error| error.to_string())
    }

    #[test]
    fn engines_count_from_zero_or_from_one() {
        let zero = [("JOB_COMPLETION_INDEX", "0"), (COUNT, "4")];
        assert_eq!(shard(&zero).unwrap(), "1/4");
        let last = [("AGENTV_SHARD_INDEX", "3"), (COUNT, "4")];
        assert_eq!(shard(&last).unwrap(), "4/4");
        let gitlab = [("CI_NODE_INDEX", "4"), ("CI_NODE_TOTAL", "4")];
        assert_eq!(shard(&gitlab).unwrap(), "4/4");
        let buildkite = [
            ("BUILDKITE_PARALLEL_JOB", "1"),
            ("BUILDKITE_PARALLEL_JOB_COUNT", "3"),
        ];
        assert_eq!(shard(&buildkite).unwrap(), "2/3");
    }

    #[test]
    fn an_array_of_slurm_may_begin_anywhere_and_have_steps() {
        let array = |id, min, max, step, count| {
            shard(&[
                ("SLURM_ARRAY_TASK_ID", id),
                ("SLURM_ARRAY_TASK_MIN", min),
                ("SLURM_ARRAY_TASK_MAX", max),
                ("SLURM_ARRAY_TASK_STEP", step),
                ("SLURM_ARRAY_TASK_COUNT", count),
            ])
        };
        assert_eq!(array("1", "1", "8", "1", "8").unwrap(), "1/8");
        assert_eq!(array("7", "0", "7", "1", "8").unwrap(), "8/8");
        assert_eq!(array("14", "10", "18", "2", "5").unwrap(), "3/5");
        let gaps = array("3", "1", "7", "1", "3").unwrap_err();
        assert_eq!(gaps, "the job array of `SLURM_ARRAY_TASK_ID` has gaps");
    }

    #[test]
    fn wrong_numbers_are_named() {
        let beyond = [("AGENTV_SHARD_INDEX", "4"), (COUNT, "4")];
        assert_eq!(
            shard(&beyond).unwrap_err(),
            "`AGENTV_SHARD_INDEX` is 4 and `AGENTV_SHARD_COUNT` is 4: expected an index from 0 that is less \
             than the count"
        );
        let before = [("CI_NODE_INDEX", "0"), ("CI_NODE_TOTAL", "4")];
        assert!(shard(&before).unwrap_err().contains("from 1 to the count"));
        let alone = [("JOB_COMPLETION_INDEX", "2")];
        assert!(
            shard(&alone)
                .unwrap_err()
                .contains("not the number of shards")
        );
        let text = [("AGENTV_SHARD_INDEX", "two"), (COUNT, "4")];
        assert!(shard(&text).unwrap_err().contains("is `two`"));
        assert!(shard(&[]).is_err());
    }
}
