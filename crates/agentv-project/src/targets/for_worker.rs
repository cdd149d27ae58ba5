//! The targets and judges of a run that another process coordinates.

use std::collections::HashMap;

use agentv_core::{EvalFile, Target};
use agentv_dataset::Project as ProjectFolder;
use agentv_providers::Delay;

use super::need::Need;
use super::open_suite::OpenSuite;
use super::options::TargetOptions;
use super::resolver::{ResolvedTargets, Resolver};
use crate::error::ProjectError;
use crate::notices::Notices;
use crate::worker::WorkerSpec;

/// The targets and judges of a worker.
pub(crate) struct WorkerTargets {
    pub(crate) resolved: ResolvedTargets,
    /// The lanes that cannot be asked here, with the reasons. A mock stands in for each.
    pub(crate) lacking: Vec<(usize, String)>,
}

/// Makes each lane ready, in the order that the coordinating process gave them. A lane that cannot be asked
/// here, for example because a key is missing, is no error.
pub(crate) fn resolve_for_worker<'a>(
    options: TargetOptions<'a>,
    files: &[EvalFile],
    suites: HashMap<usize, OpenSuite<'a>>,
    spec: &WorkerSpec,
    notices: &'a mut dyn Notices,
) -> Result<WorkerTargets, ProjectError> {
    let (lanes, answering) = (&spec.lanes, spec.answering);
    let mut resolver = Resolver::new(options, notices);
    resolver.suites = suites;
    let mut lacking = Vec::new();
    for (position, lane) in lanes.iter().enumerate() {
        let mut ready: Option<Target> = None;
        for (index, name) in &lane.uses {
            let Some(file) = files.iter().find(|file| file.index == *index) else {
                continue;
            };
            let folder = ProjectFolder {
                root: file.root.to_path_buf(),
                folder: file.folder.to_path_buf(),
            };
            let place = resolver.place(file, &folder)?;
            resolver.set_environment(file, &place.environment);
            if ready.is_none() {
                let need = Need::AskedBy(&file.name);
                ready = Some(match resolver.ready(&place, name, need) {
                    Ok(target) => target,
                    Err(error) => {
                        lacking.push((position, error.to_string()));
                        let environment = &place.environment;
                        let stand_in = place.targets.stand_in(name, Delay::default(), environment);
                        stand_in.0
                    }
                });
            }
            resolver.note_alias(&place, file, name);
            let assignment = &mut resolver.resolved.assignment;
            assignment.assign(*index, name.clone(), position);
        }
        let mut target = ready.ok_or_else(|| {
            ProjectError::because("the description of the run names a target of no eval file")
        })?;
        target.limits.leave_workers_to_machines();
        let resolved = &mut resolver.resolved;
        if position < answering {
            resolved.targets.push(target)
        } else {
            resolved.judges.push(target)
        }
    }
    Ok(WorkerTargets {
        resolved: resolver.finish(),
        lacking,
    })
}
