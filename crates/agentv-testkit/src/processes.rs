//! Who is still there: the processes of a test, found in `/proc`.

use std::fs;
use std::process;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// The living processes, this one apart, that were started with `variable=value` in their
/// environment. Whoever they descend from, they inherit it. One that is becoming another program at
/// this very moment is not seen.
pub fn with_variable(variable: &str, value: &str) -> Vec<u32> {
    let mark = format!("{variable}={value}");
    let marked = |id: &u32| {
        // A zombie has no environment any more.
        let environment = fs::read(format!("/proc/{id}/environ")).unwrap_or_default();
        let mut variables = environment.split(|&byte| byte == 0);
        variables.any(|variable| variable == mark.as_bytes())
    };
    all().filter(marked).collect()
}

/// The living processes that descend from `ancestor`, zombies apart.
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

/// Waits until no process has `variable=value` in its environment; gives those that still have it
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

/// The processes there are, this one apart.
fn all() -> impl Iterator<Item = u32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let ids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    ids.filter(|id| *id != process::id())
}

/// The parent of a process, if that is there and no zombie.
fn parent(id: u32) -> Option<u32> {
    let stat = fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    // The name before may hold anything, parentheses and spaces included.
    let (_, fields) = stat.rsplit_once(')')?;
    let mut fields = fields.split_whitespace();
    let state = fields.next()?;
    let parent = fields.next()?.parse().ok()?;
    (state != "Z").then_some(parent)
}
