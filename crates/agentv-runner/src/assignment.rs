//! The assignment of cases to targets.

use std::collections::HashMap;

use agentv_core::{EvalCase, EvalFile, Program};

/// The assignment of cases to targets.
#[derive(Debug, Clone, Default)]
pub struct Assignment {
    /// The targets for every case (default: the target that the case names).
    pub chosen: Vec<String>,
    /// The targets of each eval file, by the file's index and the name that it uses: positions among
    /// the run's targets, followed by the judges.
    pub targets: HashMap<usize, HashMap<String, usize>>,
    /// The programs of targets and judges that have one, by the index of the eval file and the position
    /// of the target. A program depends on the file, because commands run relative to its folder.
    pub programs: HashMap<(usize, usize), Program>,
    /// The names that stand for another target, with its name, by the index of the eval file.
    pub aliases: HashMap<usize, HashMap<String, String>>,
}

impl Assignment {
    /// Assigns the target that a file calls `name`.
    pub fn assign(&mut self, file: usize, name: String, position: usize) {
        self.targets.entry(file).or_default().insert(name, position);
    }

    /// Returns the position of the target that a file calls `name`.
    pub fn target(&self, file: usize, name: &str) -> Option<usize> {
        self.targets.get(&file)?.get(name).copied()
    }

    /// Returns the name of the target that a name stands for in a file.
    pub fn meant<'n>(&'n self, file: usize, name: &'n str) -> &'n str {
        let aliases = self.aliases.get(&file);
        let meant = aliases.and_then(|aliases| aliases.get(name));
        meant.map_or(name, String::as_str)
    }

    /// Returns the programs of the target at a position, by the index of the eval file.
    pub fn programs_of(&self, position: usize) -> impl Iterator<Item = (usize, &Program)> {
        let programs = self.programs.iter();
        programs
            .filter(move |((_, at), _)| *at == position)
            .map(|((file, _), program)| (*file, program))
    }

    /// Returns the eval files that use the target at a position, by their indices, and the name by which each
    /// does, in order.
    pub fn uses_of(&self, position: usize) -> Vec<(usize, String)> {
        let files = self.targets.iter();
        let uses = files.flat_map(|(file, names)| {
            let names = names.iter().filter(|(_, at)| **at == position);
            names.map(|(name, _)| (*file, name.clone()))
        });
        let mut uses: Vec<(usize, String)> = uses.collect();
        uses.sort_unstable();
        uses
    }

    /// Returns the positions of the targets and judges of a file.
    pub(crate) fn positions(&self, file: usize) -> impl Iterator<Item = usize> {
        let of_file = self.targets.get(&file).into_iter().flatten();
        of_file.map(|(_, position)| *position)
    }

    /// Returns the names that a file uses for its targets and judges, sorted.
    pub(crate) fn names(&self, file: usize) -> Vec<&str> {
        let of_file = self.targets.get(&file).into_iter().flatten();
        let mut names: Vec<&str> = of_file.map(|(name, _)| name.as_str()).collect();
        names.sort_unstable();
        names
    }

    /// Returns true if a case is for the target at this position.
    pub(crate) fn assigns(&self, file: &EvalFile, case: &EvalCase, target: usize) -> bool {
        let is_target = |name: &String| self.target(file.index, name) == Some(target);
        match self.chosen.as_slice() {
            [] => is_target(&case.execution.target),
            chosen => chosen.iter().any(is_target),
        }
    }
}
