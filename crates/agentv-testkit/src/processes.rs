//! The processes of a test that still exist, found in `/proc`.

use std::fs;
use std::process;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Returns the ids of the living processes, except this one, that were started with
/// `variable=value` in their environment or inherited it. A process that is being replaced by
/// another program at this moment is not seen.
pub fn with_variable(variable: &str, value: &str) -> Vec<u32> {
    let mark = format!("{variable}={value}");
    let marked = |id: &u32| {
        // A zombie has no environment.
        let environment = fs::read(format!("/proc/{id}/environ")).unwrap_or_default();
        let mut variables = environment.split(|&byte| byte == 0);
        variables.any(|variable| variable == mark.as_bytes())
    };
    all().filter(marked).collect()
}

/// Returns the ids of the living descendants of `ancestor`, without zombies.
pub fn descendants(ancestor: u32) -> Vec<u32> {
    let parents: Vec<(u32, u32)> = all().filter_map(|id| Some((id, parent(id)?))).collect();
    let mut found = vec![ancestor];
    let mut next = 0;
    while let Some(&one) = found.get(next) {
        let children = parents.iter().filter(|(_, parent)| *parent == one);
        found.extend(children.map(|(id, _)| *id));
        next += 1;
    }
    found.split_off(1)
}

/// Waits until no process has `variable=value` in its environment; returns those that still have it
/// after `longest`.
pub fn wait_for_none_with(variable: &str, value: &str, longest: Duration) -> Vec<u32> {
    let until = Instant::now() + longest;
    loop {
        let left = with_variable(variable, value);
        if left.is_empty() || Instant::now() > until {
            return left;
        }
        sleep(Duration::from_millis(2));
    }
}

/// Returns the ids of all processes except this one.
fn all() -> impl Iterator<Item = u32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let ids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    ids.filter(|id| *id != process::id())
}

/// Returns the parent of a process, unless it is gone or a zombie.
fn parent(id: u32) -> Option<u32> {
    let stat = fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    // The name in front may contain anything, including parentheses and spaces.
    let (_, fields) = stat.rsplit_once(')')?;
    let mut fields = fields.split_whitespace();
    let state = fields.next()?;
    let parent = fields.next()?.parse().ok()?;
    (state != "Z").then_some(parent)
}
