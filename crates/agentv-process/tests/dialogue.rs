//! Commands that are listened and written to while they run.

use std::time::{Duration, Instant};

use agentv_process::{CommandSpec, Dialogue, Ending, ProcessError, Runner, Status, Talked};
use libtest_mimic::Trial;
use tokio_util::sync::CancellationToken;

use crate::stage::{Stage, block_on};

pub(crate) fn trials() -> Vec<Trial> {
    trials![
        lines_arrive_while_the_command_runs,
        every_kind_of_line_is_read,
        a_command_answers_what_is_written_to_it,
        a_given_stdin_is_written_while_lines_are_read,
        returning_ends_the_tree,
        a_daemon_does_not_hold_the_dialogue,
        the_deadline_keeps_what_was_heard,
        cancelling_keeps_what_was_heard,
        a_dropped_wait_for_a_line_loses_nothing,
        a_clean_environment_has_only_what_was_set,
    ]
}

async fn heard(mut dialogue: Dialogue) -> Vec<String> {
    let mut lines = Vec::new();
    while let Some(line) = dialogue.stdout.next().await {
        assert!(!line.is_cut);
        lines.push(String::from_utf8_lossy(line.bytes).into_owned());
    }
    lines
}

fn talk<T>(
    spec: CommandSpec,
    talk: impl AsyncFnOnce(Dialogue) -> T,
) -> Result<Talked<T>, ProcessError> {
    let cancel = CancellationToken::new();
    block_on(Runner::of_this_program().talk(spec, &cancel, talk))
}

fn lines_arrive_while_the_command_runs() {
    let stage = Stage::new();
    // The command waits for a file that is written when its first line has arrived.
    let line = "echo one; until [ -e heard ]; do sleep 0.01; done; echo two >&2; echo two; exit 3";
    let folder = stage.path().to_owned();
    let talked = talk(stage.shell(line), async |mut dialogue| {
        let first = dialogue.stdout.next().await.unwrap().bytes.to_vec();
        std::fs::write(folder.join("heard"), "").unwrap();
        (first, heard(dialogue).await)
    });
    let talked = talked.unwrap();
    assert_eq!(talked.result, (b"one".to_vec(), vec!["two".to_owned()]));
    assert_eq!(talked.ending, Ending::Exited(Status::Exited(3)));
    assert_eq!(talked.stderr.text(), "two\n");
    assert!(talked.tree_ended);
}

fn every_kind_of_line_is_read() {
    let printed = "printf 'a\\r\\n\\n\\nb\\0c\\nno end'";
    let talked = talk(CommandSpec::shell(printed), heard).unwrap();
    assert_eq!(talked.result, ["a", "", "", "b\0c", "no end"]);
    assert_eq!(
        talk(CommandSpec::shell("true"), heard).unwrap().result,
        [""; 0]
    );
    // Longer than a pipe and than the buffer.
    let long = "head -c 300000 /dev/zero | tr '\\0' x; echo; echo end";
    let talked = talk(CommandSpec::shell(long), heard).unwrap();
    assert_eq!(talked.result, ["x".repeat(300_000), "end".to_owned()]);
}

fn a_command_answers_what_is_written_to_it() {
    let talked = talk(CommandSpec::shell("exec cat"), async |mut dialogue| {
        let mut stdin = dialogue.stdin.take().unwrap();
        let mut answers = Vec::new();
        for question in ["one\n", "two\n"] {
            stdin.write(question.as_bytes()).await.unwrap();
            let answer = dialogue.stdout.next().await.unwrap();
            answers.push(String::from_utf8_lossy(answer.bytes).into_owned());
        }
        drop(stdin);
        assert!(dialogue.stdout.next().await.is_none());
        answers
    });
    let talked = talked.unwrap();
    assert_eq!(talked.result, ["one", "two"]);
    assert!(matches!(
        talked.ending,
        Ending::Exited(Status::Exited(0)) | Ending::Stopped
    ));
}

fn a_given_stdin_is_written_while_lines_are_read() {
    let text = "0123456789\n".repeat(50_000);
    let talked = talk(CommandSpec::shell("exec cat").stdin(text.clone()), heard);
    assert_eq!(talked.unwrap().result.len(), 50_000);
}

fn returning_ends_the_tree() {
    let stage = Stage::new();
    let line = "setsid sh -c 'trap \"\" TERM; echo >up; while :; do sleep 1; done' & \
                until [ -e up ]; do sleep 0.01; done; echo done; sleep 1000";
    let spec = stage.shell(line).grace(Duration::from_millis(100));
    let talked = talk(spec, async |mut dialogue| {
        dialogue.stdout.next().await.unwrap().bytes.to_vec()
    });
    let talked = talked.unwrap();
    assert_eq!(talked.result, b"done");
    assert_eq!(talked.ending, Ending::Stopped);
    assert!(talked.tree_ended);
    assert_eq!(stage.survivors(), []);
}

fn a_daemon_does_not_hold_the_dialogue() {
    let stage = Stage::new();
    // It holds stdout open after the command has exited.
    let line = "setsid sleep 1000 & echo hello";
    let started = Instant::now();
    let spec = stage.shell(line).grace(Duration::from_millis(100));
    let talked = talk(spec, heard).unwrap();
    assert_eq!(talked.result, ["hello"]);
    assert_eq!(talked.ending, Ending::Exited(Status::Exited(0)));
    assert!(started.elapsed() < Duration::from_secs(60));
    assert_eq!(stage.survivors(), []);
}

fn the_deadline_keeps_what_was_heard() {
    let stage = Stage::new();
    let spec = stage.shell("echo one; sleep 1000");
    let talked = talk(spec.deadline(Duration::from_secs(2)), heard).unwrap();
    assert_eq!(talked.result, ["one"]);
    assert_eq!(talked.ending, Ending::DeadlinePassed);
    assert_eq!(stage.survivors(), []);
}

fn cancelling_keeps_what_was_heard() {
    let stage = Stage::new();
    let cancel = CancellationToken::new();
    let talking = async |mut dialogue: Dialogue| {
        let first = dialogue.stdout.next().await.unwrap().bytes.to_vec();
        cancel.cancel();
        assert_eq!(heard(dialogue).await, [""; 0]);
        first
    };
    let spec = stage.shell("echo one; sleep 1000");
    let talked = block_on(Runner::of_this_program().talk(spec, &cancel, talking)).unwrap();
    assert_eq!(talked.result, b"one");
    assert_eq!(talked.ending, Ending::Cancelled);
    assert_eq!(stage.survivors(), []);
}

fn a_dropped_wait_for_a_line_loses_nothing() {
    let stage = Stage::new();
    let line =
        "printf 'first half, '; echo >half; until [ -e go ]; do sleep 0.01; done; echo second";
    let folder = stage.path().to_owned();
    let talked = talk(stage.shell(line), async |mut dialogue| {
        stage.wait_for_file("half");
        let short = Duration::from_millis(200);
        let early = tokio::time::timeout(short, dialogue.stdout.next()).await;
        assert!(early.is_err());
        std::fs::write(folder.join("go"), "").unwrap();
        heard(dialogue).await
    });
    assert_eq!(talked.unwrap().result, ["first half, second"]);
}

fn a_clean_environment_has_only_what_was_set() {
    let spec = CommandSpec::program("/usr/bin/env")
        .clean_environment()
        .env("ONE", "1");
    for runner in [Runner::of_this_program(), Runner::in_groups()] {
        let finished = block_on(runner.run(spec.clone(), &CancellationToken::new())).unwrap();
        assert_eq!(finished.stdout.text(), "ONE=1\n");
    }
}
