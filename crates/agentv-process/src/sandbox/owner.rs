//! The owner of a container: the process that started it.

use std::fs;

/// The label of a container that holds its owner.
pub(super) const LABEL: &str = "agentv.owner";

/// The process that started a container. It lives as long as the container may.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Owner {
    /// The machine, and the namespace in which the id of the process counts.
    place: String,
    process: u32,
    /// The time at which the process started: its id may belong to another one later.
    started: String,
}

impl Owner {
    /// Returns this process.
    pub(super) fn this_process() -> Owner {
        let process = std::process::id();
        Owner {
            place: place(),
            process,
            started: started(process).unwrap_or_default(),
        }
    }

    /// Returns the label of a container that belongs to it.
    pub(super) fn label(&self) -> String {
        format!("{LABEL}={self}")
    }

    /// Reads the value of a label.
    pub(super) fn read(value: &str) -> Option<Owner> {
        let mut parts = value.rsplitn(3, '/');
        let (started, process, place) = (parts.next()?, parts.next()?, parts.next()?);
        Some(Owner {
            place: place.to_owned(),
            process: process.parse().ok()?,
            started: started.to_owned(),
        })
    }

    /// Checks for an owner on this machine that has ended. Owners elsewhere are not known.
    pub(super) fn has_ended(&self) -> bool {
        let is_known = !self.started.is_empty() && self.place == place();
        is_known && started(self.process).as_deref() != Some(&self.started)
    }
}

impl std::fmt::Display for Owner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}/{}", self.place, self.process, self.started)
    }
}

fn place() -> String {
    let host = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let namespace = fs::read_link("/proc/self/ns/pid").unwrap_or_default();
    format!("{}/{}", host.trim(), namespace.display())
}

/// Returns the time at which a living process started, in ticks since the machine did.
fn started(process: u32) -> Option<String> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name of the program, in parentheses, may have spaces and parentheses of its own.
    let (_, rest) = stat.rsplit_once(')')?;
    let mut fields = rest.split_whitespace();
    if matches!(fields.next(), Some("Z" | "X")) {
        return None;
    }
    fields.nth(18).map(str::to_owned)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn an_owner_lives_as_long_as_its_process() {
        let this = Owner::this_process();
        assert_eq!(Owner::read(&this.to_string()), Some(this.clone()));
        assert!(!this.has_ended());
        assert!(!this.started.is_empty());
        let mut child = std::process::Command::new("sleep")
            .arg("1000")
            .spawn()
            .unwrap();
        let other = Owner {
            process: child.id(),
            started: started(child.id()).unwrap(),
            ..this.clone()
        };
        assert!(!other.has_ended());
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(other.has_ended());
        // The same id, but another process.
        let successor = Owner {
            started: "1".to_owned(),
            ..this.clone()
        };
        assert!(successor.has_ended());
    }

    #[test]
    fn an_owner_on_another_machine_is_left_alone() {
        let elsewhere = Owner {
            place: "elsewhere/pid:[1]".to_owned(),
            process: 1,
            started: "1".to_owned(),
        };
        assert!(!elsewhere.has_ended());
        assert_eq!(Owner::read("rubbish"), None);
        assert_eq!(Owner::read("a/b/c"), None);
    }
}
