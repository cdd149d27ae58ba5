//! The system's list of processes, with their parents and groups.

use std::collections::HashMap;
use std::fs;

use rustix::process::{Pid, Signal, getpid, kill_process_group};

/// A process, as the system lists it. A parent, group or session is `None` if it is outside this PID
/// namespace, as the session of the first process of a container often is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Process {
    pub(super) id: Pid,
    parent: Option<Pid>,
    pub(super) group: Option<Pid>,
    pub(super) session: Option<Pid>,
    /// The first thread has ended. Others may still run.
    pub(super) dead: bool,
}

/// Lists all processes. One that starts during the listing may be missing.
fn all() -> impl Iterator<Item = Process> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries
        .filter(|entry| entry.file_name().as_encoded_bytes()[0].is_ascii_digit())
        // A process that has ended by now has no `stat`.
        .filter_map(|entry| parse(&fs::read(entry.path().join("stat")).ok()?))
}

/// Lists the descendants of `root`. One that starts during the listing may be missing.
pub(super) fn below(root: Pid) -> Vec<Process> {
    let mut children: HashMap<Pid, Vec<Process>> = HashMap::new();
    for process in all() {
        if let Some(parent) = process.parent {
            children.entry(parent).or_default().push(process);
        }
    }
    let mut found = Vec::new();
    let mut parents = vec![root];
    while let Some(parent) = parents.pop() {
        let below = children.remove(&parent).unwrap_or_default();
        parents.extend(below.iter().map(|process| process.id));
        found.extend(below);
    }
    found
}

/// Lists the children of `parent`.
pub(super) fn children(parent: Pid) -> impl Iterator<Item = Process> {
    all().filter(move |process| process.parent == Some(parent))
}

/// Returns this process, or `None` if there is no list of processes, or only that of another namespace.
pub(super) fn own() -> Option<Process> {
    let own = parse(&fs::read("/proc/self/stat").ok()?)?;
    (own.id == getpid()).then_some(own)
}

/// Kills every process of a session, and repeats this until the list shows none.
pub(super) fn kill_session(session: Pid) {
    const PASSES: usize = 100;
    for _ in 0..PASSES {
        let members: Vec<Process> = all().filter(|one| one.session == Some(session)).collect();
        for group in members.iter().filter_map(|member| member.group) {
            let _ = kill_process_group(group, Signal::KILL);
        }
        if members.iter().all(|member| member.dead) {
            return;
        }
    }
}

/// Parses `ID (NAME) STATE PARENT GROUP SESSION …`. The name may hold any character.
fn parse(stat: &[u8]) -> Option<Process> {
    let name_end = stat.iter().rposition(|&byte| byte == b')')?;
    let id = stat.split(|&byte| byte == b' ').next()?;
    let rest = str::from_utf8(stat.get(name_end + 1..)?).ok()?;
    let mut fields = rest.split_ascii_whitespace();
    let state = fields.next()?;
    let number = |text: &str| text.parse().ok().filter(|&number: &i32| number >= 0);
    Some(Process {
        id: Pid::from_raw(number(str::from_utf8(id).ok()?)?)?,
        parent: Pid::from_raw(number(fields.next()?)?),
        group: Pid::from_raw(number(fields.next()?)?),
        session: Pid::from_raw(number(fields.next()?)?),
        dead: matches!(state, "Z" | "X"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_may_hold_anything() {
        let process = parse(b"42 (a) R 1 (b\xff\n) S 7 9 8 0 -1 4194560").unwrap();
        assert_eq!(process.id.as_raw_pid(), 42);
        assert_eq!(Pid::as_raw(process.parent), 7);
        assert_eq!(Pid::as_raw(process.group), 9);
        assert_eq!(Pid::as_raw(process.session), 8);
        assert!(!process.dead);
        assert_eq!(parse(b""), None);
    }

    #[test]
    fn a_session_may_be_outside_the_namespace() {
        let process = parse(b"2 (agentv) S 0 0 0 0").unwrap();
        assert_eq!(process.id.as_raw_pid(), 2);
        assert_eq!(process.parent, None);
        assert_eq!(process.session, None);
    }
}
