//! No process is left behind, however a run ends.

use std::os::unix::process::CommandExt;
use std::time::{Duration, Instant};

use agentv_process::{ProcessError, Runner, Status};
use libtest_mimic::Trial;
use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use tokio_util::sync::CancellationToken;

use crate::play;
use crate::stage::{MARK, Stage, block_on, run, run_by, wait_until};

pub(crate) fn trials() -> Vec<Trial> {
    trials![
        a_deadline_ends_what_ignores_sigterm,
        a_command_past_its_deadline_may_print_last_words,
        a_deadline_ends_a_group_without_a_supervisor,
        what_a_command_leaves_is_ended,
        daemons_are_ended,
        a_daemon_that_forks_away_is_ended,
        a_deep_tree_is_ended,
        cancelling_ends_the_tree,
        a_cancelled_run_does_not_start,
        dropping_the_run_ends_the_tree,
        sigterm_to_the_supervisor_ends_the_tree,
        sigkill_to_the_supervisor_ends_its_session,
        a_daemon_of_a_killed_supervisor_is_ended,
        a_daemon_of_a_stopped_supervisor_is_ended,
        the_loss_of_one_supervisor_leaves_other_commands_alone,
        sigkill_to_the_program_ends_the_tree,
        sigkill_to_the_program_s_group_ends_the_tree,
        a_crowd_leaves_nothing,
    ]
}

/// Ignores SIGTERM with a child and with a child in another session, and says when it is ready.
const STUBBORN: &str = "trap '' TERM
    sh -c 'echo >one; while :; do sleep 1; done' &
    setsid sh -c 'echo >two; while :; do sleep 1; done' &
    until [ -e one ] && [ -e two ]; do sleep 0.01; done
    echo ready; echo >ready
    while :; do sleep 1; done";

fn a_deadline_ends_what_ignores_sigterm() {
    let stage = Stage::new();
    let deadline = Duration::from_secs(4);
    let spec = stage.shell(STUBBORN).deadline(deadline);
    let started = Instant::now();
    let error = run(spec.grace(Duration::from_millis(200))).unwrap_err();
    assert_eq!(stage.survivors(), []);
    let expected = "`sh` timed out after 4s and was stopped";
    assert_eq!(error.to_string(), expected);
    let ProcessError::DeadlinePassed { partial, .. } = error else {
        panic!("{error}")
    };
    assert_eq!(partial.stdout.text(), "ready\n");
    assert_eq!(partial.status, Status::Signalled(9));
    assert!(partial.tree_ended);
    assert!(started.elapsed() < Duration::from_secs(60));
}

fn a_command_past_its_deadline_may_print_last_words() {
    let stage = Stage::new();
    let line = "trap 'echo bye; exit 7' TERM; echo ready; while :; do sleep 0.1; done";
    let spec = stage.shell(line).deadline(Duration::from_secs(3));
    for runner in [Runner::of_this_program(), Runner::in_groups()] {
        let error = run_by(&runner, spec.clone().grace(Duration::from_secs(60))).unwrap_err();
        let ProcessError::DeadlinePassed { partial, .. } = error else {
            panic!("{error}")
        };
        assert_eq!(partial.stdout.text(), "ready\nbye\n");
        assert_eq!(partial.status, Status::Exited(7));
    }
    assert_eq!(stage.survivors(), []);
}

fn a_deadline_ends_a_group_without_a_supervisor() {
    let stage = Stage::new();
    let line = "trap '' TERM; sleep 1000 & while :; do sleep 1; done";
    let spec = stage.shell(line).deadline(Duration::from_secs(1));
    let spec = spec.grace(Duration::from_millis(100));
    let error = run_by(&Runner::in_groups(), spec).unwrap_err();
    assert!(matches!(error, ProcessError::DeadlinePassed { .. }));
    stage.wait_for_no_survivors();
}

fn what_a_command_leaves_is_ended() {
    let stage = Stage::new();
    let finished = run(stage.shell("sleep 1000 & sleep 1000 & echo hello")).unwrap();
    assert_eq!(stage.survivors(), []);
    assert_eq!(finished.stdout.text(), "hello\n");
    assert!(finished.status.success() && finished.tree_ended);
}

fn daemons_are_ended() {
    let stage = Stage::new();
    let line = "
        setsid sh -c 'trap \"\" TERM HUP; echo >one; while :; do sleep 1; done' &
        (setsid sh -c '(trap \"\" TERM HUP; echo >two; while :; do sleep 1; done) &' &)
        (setsid nohup sleep 1000 <&- >&- 2>&- &)
        until [ -e one ] && [ -e two ]; do sleep 0.01; done
        exit 5";
    let spec = stage.shell(line).grace(Duration::from_millis(200));
    let finished = run(spec).unwrap();
    assert_eq!(stage.survivors(), []);
    assert_eq!(finished.status, Status::Exited(5));
    assert!(finished.tree_ended);
}

/// Each generation forks and exits at once, so that no process lives long enough to be listed.
fn a_daemon_that_forks_away_is_ended() {
    let stage = Stage::new();
    let line = "perl -e '
        use POSIX; $SIG{TERM} = \"IGNORE\"; POSIX::setsid();
        open(my $ready, \">\", \"ready\"); close $ready;
        while (1) { exit 0 if fork; }' &
        until [ -e ready ]; do sleep 0.01; done";
    let spec = stage.shell(line).grace(Duration::from_millis(100));
    let finished = run(spec).unwrap();
    assert!(finished.tree_ended);
    assert_eq!(stage.survivors(), []);
}

fn a_deep_tree_is_ended() {
    let stage = Stage::new();
    let line = r#"
        if [ "$1" = 0 ]; then echo >ready; exec sleep 1000; fi
        if [ "$1" = 40 ]; then
            setsid sh -c "$0" "$0" 39 &
            until [ -e ready ]; do sleep 0.01; done; exit
        fi
        trap '' TERM; setsid sh -c "$0" "$0" $(($1 - 1)); sleep 1000"#;
    let spec = stage.shell(line).args([line, "40"]);
    let finished = run(spec.grace(Duration::from_millis(100))).unwrap();
    assert!(finished.tree_ended);
    assert_eq!(stage.survivors(), []);
}

fn cancelling_ends_the_tree() {
    let stage = Stage::new();
    let cancel = CancellationToken::new();
    let spec = stage.shell(STUBBORN).grace(Duration::from_millis(200));
    let runner = Runner::of_this_program();
    let error = std::thread::scope(|scope| {
        let run = scope.spawn(|| block_on(runner.run(spec, &cancel)));
        stage.wait_for_file("ready");
        cancel.cancel();
        run.join().unwrap().unwrap_err()
    });
    assert_eq!(stage.survivors(), []);
    assert!(matches!(error, ProcessError::Cancelled), "{error}");
}

fn a_cancelled_run_does_not_start() {
    let stage = Stage::new();
    let cancel = CancellationToken::new();
    cancel.cancel();
    let runner = Runner::of_this_program();
    let error = block_on(runner.run(stage.shell("echo >started"), &cancel)).unwrap_err();
    assert!(matches!(error, ProcessError::Cancelled), "{error}");
    assert!(!stage.path().join("started").exists());
}

fn dropping_the_run_ends_the_tree() {
    let stage = Stage::new();
    let spec = stage.shell(STUBBORN).grace(Duration::from_millis(200));
    block_on(async {
        let run = tokio::spawn(async move {
            let runner = Runner::of_this_program();
            runner.run(spec, &CancellationToken::new()).await
        });
        stage.wait_for_file("ready");
        run.abort();
        assert!(run.await.unwrap_err().is_cancelled());
        stage.wait_for_no_survivors();
    });
}

fn sigterm_to_the_supervisor_ends_the_tree() {
    let stage = Stage::new();
    let finished = run(stage.shell("setsid sleep 1000 & kill $PPID; sleep 1000")).unwrap();
    assert_eq!(stage.survivors(), []);
    assert_eq!(finished.status, Status::Signalled(15));
}

fn sigkill_to_the_supervisor_ends_its_session() {
    let stage = Stage::new();
    let error = run(stage.shell("sleep 1000 & kill -9 $PPID; sleep 1000")).unwrap_err();
    assert!(
        matches!(error, ProcessError::SupervisorKilled { signal: 9 }),
        "{error}"
    );
    assert_eq!(stage.survivors(), []);
}

/// Starts a daemon in a session of its own, with a child in a further one.
const DAEMON: &str = "
    setsid sh -c 'trap \"\" TERM HUP; setsid sleep 1000 & echo >ready; while :; do sleep 1; done' &
    until [ -e ready ]; do sleep 0.01; done";

fn a_daemon_of_a_killed_supervisor_is_ended() {
    let stage = Stage::new();
    let error = run(stage.shell(&format!("{DAEMON}; kill -9 $PPID; sleep 1000"))).unwrap_err();
    assert_eq!(stage.survivors(), []);
    let expected = "the supervisor of the command was killed by signal 9, probably by the command itself; \
                    its processes were ended";
    assert_eq!(error.to_string(), expected);
}

fn a_daemon_of_a_stopped_supervisor_is_ended() {
    let stage = Stage::new();
    let line = format!("{DAEMON}; kill -STOP $PPID; echo >stopped; sleep 1000");
    let spec = stage.shell(&line).grace(Duration::from_millis(100));
    let cancel = CancellationToken::new();
    let runner = Runner::of_this_program();
    let error = std::thread::scope(|scope| {
        let run = scope.spawn(|| block_on(runner.run(spec, &cancel)));
        stage.wait_for_file("stopped");
        cancel.cancel();
        run.join().unwrap().unwrap_err()
    });
    assert_eq!(stage.survivors(), []);
    assert!(matches!(error, ProcessError::Cancelled), "{error}");
}

fn the_loss_of_one_supervisor_leaves_other_commands_alone() {
    let (other, lost) = (Stage::new(), Stage::new());
    let line =
        "setsid sh -c 'until [ -e go ]; do sleep 0.01; done; echo daemon' & echo >here; wait";
    let finished = std::thread::scope(|scope| {
        let running = scope.spawn(|| run(other.shell(line)).unwrap());
        other.wait_for_file("here");
        let line = format!("{DAEMON}; kill -9 $PPID; sleep 1000");
        run(lost.shell(&line)).unwrap_err();
        assert_eq!(lost.survivors(), []);
        std::fs::write(other.path().join("go"), "").unwrap();
        running.join().unwrap()
    });
    assert_eq!(finished.stdout.text(), "daemon\n");
    assert!(finished.status.success() && finished.tree_ended);
}

/// Starts a program that runs [`STUBBORN`], kills it by `kill`, and waits until all processes are gone.
fn kill_program(kill: impl Fn(Pid)) {
    let stage = Stage::new();
    let mut program = play::part("run", STUBBORN)
        .current_dir(stage.path())
        .env(MARK, stage.mark())
        .process_group(0)
        .spawn()
        .unwrap();
    stage.wait_for_file("ready");
    // At least the program, its supervisor, the command and two children.
    assert!(stage.survivors().len() >= 5);
    kill(Pid::from_raw(program.id().cast_signed()).unwrap());
    assert!(!program.wait().unwrap().success());
    stage.wait_for_no_survivors();
}

fn sigkill_to_the_program_ends_the_tree() {
    kill_program(|program| kill_process(program, Signal::KILL).unwrap());
}

fn sigkill_to_the_program_s_group_ends_the_tree() {
    kill_program(|program| kill_process_group(program, Signal::KILL).unwrap());
}

fn a_crowd_leaves_nothing() {
    let stage = Stage::new();
    let mut crowd = play::part("crowd", "200")
        .env(MARK, stage.mark())
        .spawn()
        .unwrap();
    assert!(crowd.wait().unwrap().success());
    wait_until("the crowd", || stage.survivors().is_empty());
}
