//! Commands that get a signal in time, and the processes that remain.

use std::io::ErrorKind;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::Command;
use std::time::{Duration, Instant};

use agentv_testkit::crash::{Moment, Running, Signal, signal_at};
use agentv_testkit::model::Behaviour;
use agentv_testkit::{Project, SmallDisk, processes};

use crate::client::{PATIENCE, ask, start};

const MARK: &str = "AGENTV_TESTKIT_MARK";

/// A shell line that works in the project, marked by its path.
fn shell(project: &Project, line: &str) -> Command {
    let mut command = Command::new("sh");
    command
        .args(["-c", line])
        .current_dir(project.root())
        .env(MARK, project.root());
    command
}

fn survivors(project: &Project) -> Vec<u32> {
    processes::with_variable(MARK, project.root().to_str().unwrap())
}

#[test]
fn a_command_is_killed_once_it_has_written_enough_lines() {
    let project = Project::new(&[]).unwrap();
    let out = project.path("out");
    let mut command = shell(&project, "while :; do echo x >>out; done");
    let status = signal_at(
        &mut command,
        Signal::SIGKILL,
        &Moment::Lines(&out, 500),
        PATIENCE,
    );
    assert_eq!(status.unwrap().signal(), Some(9));
    assert!(project.read("out").unwrap().lines().count() >= 500);
    assert_eq!(survivors(&project), Vec::<u32>::new());
}

#[test]
fn a_command_that_ends_before_the_moment_gets_no_signal() {
    let project = Project::new(&[]).unwrap();
    let out = project.path("out");
    let mut command = shell(&project, "echo x >out; exit 3");
    let status = signal_at(
        &mut command,
        Signal::SIGKILL,
        &Moment::Lines(&out, 2),
        PATIENCE,
    );
    assert_eq!(status.unwrap().code(), Some(3));
    let status = signal_at(
        &mut command,
        Signal::SIGKILL,
        &Moment::Exists(&out),
        PATIENCE,
    );
    assert!(status.is_ok());
}

#[test]
fn a_moment_that_does_not_come_is_an_error_and_the_command_is_gone() {
    let project = Project::new(&[]).unwrap();
    let missing = project.path("missing");
    let mut command = shell(&project, "exec sleep 1000");
    let moment = Moment::Exists(&missing);
    let error = signal_at(
        &mut command,
        Signal::SIGTERM,
        &moment,
        Duration::from_millis(50),
    );
    assert_eq!(error.unwrap_err().kind(), ErrorKind::TimedOut);
    assert_eq!(survivors(&project), Vec::<u32>::new());
}

#[test]
fn a_command_gets_its_signal_when_the_server_was_called() {
    let project = Project::new(&[]).unwrap();
    let server = start(Behaviour::echo());
    let mut running = Running::start(&mut shell(&project, "exec sleep 1000")).unwrap();
    let reached = std::thread::scope(|scope| {
        scope.spawn(|| (0..3).for_each(|_| assert_eq!(ask(&server, "a").status(), 200)));
        running.until(&Moment::Calls(&server, 3), PATIENCE).unwrap()
    });
    assert!(reached);
    running.signal(Signal::SIGTERM).unwrap();
    assert_eq!(running.wait(PATIENCE).unwrap().signal(), Some(15));
}

#[test]
fn the_remaining_processes_of_a_command_are_found_and_a_group_ends_together() {
    let project = Project::new(&[]).unwrap();
    let ready = project.path("ready");
    let line = "(sleep 1000; :) & sleep 1000 & : >ready; wait";
    let mut running = Running::start(shell(&project, line).process_group(0)).unwrap();
    assert!(running.until(&Moment::Exists(&ready), PATIENCE).unwrap());
    let id = running.id();
    let descendants = processes::descendants(id);
    assert!(descendants.len() >= 2, "{descendants:?}");
    // A process that is being replaced by another program has no environment for a moment.
    let all_marked = || {
        let marked = survivors(&project);
        let mut all = descendants.iter().chain([&id]);
        all.all(|one| marked.contains(one))
    };
    let until = Instant::now() + PATIENCE;
    while !all_marked() {
        assert!(Instant::now() < until, "{:?}", survivors(&project));
    }

    running.signal_group(Signal::SIGKILL).unwrap();
    running.wait(PATIENCE).unwrap();
    let root = project.root().to_str().unwrap();
    let left = processes::wait_for_none_with(MARK, root, PATIENCE);
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn a_command_that_is_dropped_leaves_nothing_behind() {
    let project = Project::new(&[]).unwrap();
    let ready = project.path("ready");
    let line = "(sleep 1000; :) & sleep 1000 & : >ready; wait";
    let mut running = Running::start(&mut shell(&project, line)).unwrap();
    assert!(running.until(&Moment::Exists(&ready), PATIENCE).unwrap());
    drop(running);
    let root = project.root().to_str().unwrap();
    let left = processes::wait_for_none_with(MARK, root, PATIENCE);
    assert!(left.is_empty(), "{left:?}");
}

#[test]
#[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
fn a_small_disk_is_full_soon_and_gone_afterwards() {
    let project = Project::new(&[("disk/below", "")]).unwrap();
    let disk = match SmallDisk::mount(project.path("disk"), 64) {
        Ok(disk) => disk,
        Err(reason) => return eprintln!("skipped: {reason}"),
    };
    let error = std::fs::write(disk.path().join("file"), vec![0; 70_000]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::StorageFull);
    drop(disk);
    assert_eq!(project.read("disk/below").unwrap(), "");
}
