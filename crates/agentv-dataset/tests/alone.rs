//! A test in a process of its own: its memory is measured, its time is limited.

use std::process::Command;
use std::time::{Duration, Instant};

const INSIDE: &str = "AGENTV_TEST_ALONE";
/// Time after which a test has failed to end: far more than any of them needs, on any machine.
const DEADLINE: Duration = Duration::from_secs(300);
/// Address space of the process, in KiB: a bomb that goes off must not take the machine with it.
const ADDRESS_SPACE: u64 = 6 << 20;

/// Runs `work` in a process of its own, as the test that is called `name`, and fails when it takes
/// longer than the deadline, ever held more than `most` bytes of memory, or is called something else.
pub(crate) fn alone(name: &str, most: u64, work: impl FnOnce()) {
    if std::env::var_os(INSIDE).is_some_and(|inside| inside == name) {
        work();
        let peak = peak_memory().unwrap_or(0);
        assert!(peak <= most, "held {peak} bytes, {most} expected at most");
        return;
    }
    let test = std::env::current_exe().unwrap();
    let limited = format!("ulimit -v {ADDRESS_SPACE} && exec \"$0\" \"$@\"");
    let said = tempfile::NamedTempFile::new().unwrap();
    let mut child = Command::new("sh")
        .args(["-c", &limited])
        .arg(test)
        .args([name, "--exact", "--nocapture"])
        .env(INSIDE, name)
        .stdout(said.reopen().unwrap())
        .spawn()
        .unwrap();
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            assert!(status.success(), "{name} alone: {status}");
            let said = std::fs::read_to_string(said.path()).unwrap();
            assert!(said.contains("1 passed"), "no test is called {name}");
            return;
        }
        if start.elapsed() > DEADLINE {
            let _ = child.kill();
            let _ = child.wait();
            panic!("{name} alone: not done after {DEADLINE:?}");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Returns the most memory that this process ever held, if the system reports it.
fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    let kilobytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes * 1024)
}

/// Runs `work` and fails when it does not end within the deadline, without stopping it before.
pub(crate) fn soon<T>(work: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let result = work();
    assert!(start.elapsed() < DEADLINE, "took {:?}", start.elapsed());
    result
}
