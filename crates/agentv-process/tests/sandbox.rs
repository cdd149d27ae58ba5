//! Commands behind walls. Tests are skipped where bubblewrap does not work.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::Command;
use std::thread;

use agentv_process::{CommandSpec, Finished, Network, Runner, Sandbox, SandboxSpec, check_sandbox};
use libtest_mimic::Trial;
use tokio_util::sync::CancellationToken;

use crate::play;
use crate::stage::{Stage, block_on};

/// Returns the tests, which are ignored on a machine whose bubblewrap is missing or does not work.
pub(crate) fn trials() -> Vec<Trial> {
    let (runner, cancel) = (Runner::of_this_program(), CancellationToken::new());
    let is_usable = block_on(check_sandbox(&Sandbox::Bubblewrap, &runner, &cancel)).is_ok();
    let trials = trials![
        only_writable_folders_can_be_changed,
        a_readable_folder_around_a_hidden_one_does_not_show_it,
        a_hidden_file_cannot_be_read,
        settings_of_the_machine_cannot_be_changed,
        sockets_of_services_are_not_seen,
        no_process_of_the_outside_is_seen_and_none_is_left,
        without_network_only_the_chosen_port_is_reachable,
        without_network_programs_do_not_wait_for_name_servers,
        a_missing_program_is_not_an_exit_code,
        a_session_outside_the_namespace_is_no_obstacle,
    ];
    let trials = trials.into_iter();
    let trials = trials.map(|trial| trial.with_ignored_flag(!is_usable));
    trials.collect()
}

fn a_hidden_file_cannot_be_read() {
    let stage = Stage::new();
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let file = folder.path().canonicalize().unwrap().join(".env");
    std::fs::write(&file, "KEY=secret").unwrap();
    let line = format!(
        "cat {0}; ls -A {1}",
        file.display(),
        folder.path().display()
    );
    for (hidden_files, expected) in [(vec![], "KEY=secret.env\n"), (vec![file], ".env\n")] {
        let spec = stage
            .marked(CommandSpec::shell(&line))
            .current_dir(folder.path());
        let spec = spec.sandbox(SandboxSpec {
            sandbox: Sandbox::Bubblewrap,
            network: Network::On,
            writable: Vec::new(),
            readable: vec![folder.path().to_owned()],
            hidden: Vec::new(),
            hidden_files,
            scratch: stage.path().to_owned(),
            loopback_ports: Vec::new(),
        });
        let cancel = CancellationToken::new();
        let finished = block_on(Runner::of_this_program().run(spec, &cancel)).unwrap();
        assert_eq!(
            finished.stdout.text(),
            expected,
            "{}",
            finished.stderr.text()
        );
    }
}

fn run(stage: &Stage, line: &str, network: Network, ports: &[u16]) -> Finished {
    let hidden = stage.path().to_owned();
    run_beside(stage, line, Vec::new(), hidden, network, ports)
}

fn run_beside(
    stage: &Stage,
    line: &str,
    readable: Vec<PathBuf>,
    hidden: PathBuf,
    network: Network,
    ports: &[u16],
) -> Finished {
    let work = stage.path().join("work");
    let tmp = stage.path().join("tmp");
    for folder in [&work, &tmp] {
        std::fs::create_dir_all(folder).unwrap();
    }
    let spec = stage.marked(CommandSpec::shell(line)).current_dir(&work);
    let spec = spec.sandbox(SandboxSpec {
        sandbox: Sandbox::Bubblewrap,
        network,
        writable: vec![work, tmp.clone()],
        readable,
        hidden: vec![hidden],
        hidden_files: Vec::new(),
        scratch: tmp,
        loopback_ports: ports.to_vec(),
    });
    let cancel = CancellationToken::new();
    block_on(Runner::of_this_program().run(spec, &cancel)).unwrap()
}

fn only_writable_folders_can_be_changed() {
    let stage = Stage::new();
    std::fs::write(stage.path().join("secret"), "secret").unwrap();
    let outside = stage.path().display();
    let line = format!(
        "echo in > made; echo tmp > /tmp/made; mount -o remount,rw,bind / 2>/dev/null; \
         (echo out > /etc/made) 2>/dev/null || echo read-only; \
         cat {outside}/secret 2>/dev/null || echo hidden; exit 3"
    );
    let finished = run(&stage, &line, Network::On, &[]);
    assert_eq!(finished.stdout.text(), "read-only\nhidden\n");
    assert_eq!(finished.status.to_string(), "exit code 3");
    let made = std::fs::read_to_string(stage.path().join("work/made"));
    assert_eq!(made.unwrap(), "in\n");
}

fn without_network_programs_do_not_wait_for_name_servers() {
    let stage = Stage::new();
    let finished = run(&stage, "cat /etc/resolv.conf", Network::None, &[]);
    assert_eq!(finished.stdout.text(), "options timeout:0 attempts:1\n");
    let outside = std::fs::read_to_string("/etc/resolv.conf").unwrap();
    let finished = run(&stage, "cat /etc/resolv.conf", Network::On, &[]);
    assert_eq!(finished.stdout.text(), outside);
}

fn a_missing_program_is_not_an_exit_code() {
    let stage = Stage::new();
    for program in ["no-such-program", "./no-such-program", "/no/such/program"] {
        let spec = CommandSpec::program(program).current_dir(stage.path());
        let spec = spec.sandbox(SandboxSpec {
            sandbox: Sandbox::Bubblewrap,
            network: Network::On,
            writable: Vec::new(),
            readable: Vec::new(),
            hidden: Vec::new(),
            hidden_files: Vec::new(),
            scratch: stage.path().to_owned(),
            loopback_ports: Vec::new(),
        });
        let ran = block_on(Runner::of_this_program().run(spec, &CancellationToken::new()));
        let error = ran.unwrap_err().to_string();
        assert_eq!(error, format!("command `{program}` not found"));
    }
}

/// Writes only the value that is there already.
fn settings_of_the_machine_cannot_be_changed() {
    let stage = Stage::new();
    let line = "for name in kernel/core_pattern vm/swappiness kernel/panic; do \
         value=$(cat /proc/sys/$name) || continue; \
         (echo \"$value\" > /proc/sys/$name) 2>/dev/null && echo \"$name is writable\"; done; \
         test -w /proc/sysrq-trigger && echo trigger; echo end";
    for network in [Network::On, Network::None] {
        let finished = run(&stage, line, network, &[]);
        assert_eq!(
            finished.stdout.text(),
            "end\n",
            "{}",
            finished.stderr.text()
        );
    }
}

/// Without the right to write there, nothing can be tested.
fn sockets_of_services_are_not_seen() {
    let Ok(folder) = tempfile::tempdir_in("/run") else {
        return;
    };
    let path = folder.path().join("socket");
    let _listener = std::os::unix::net::UnixListener::bind(&path).unwrap();
    let stage = Stage::new();
    let line = format!("ls {0} /var{0} 2>/dev/null; echo end", path.display());
    for network in [Network::On, Network::None] {
        let finished = run(&stage, &line, network, &[]);
        assert_eq!(finished.stdout.text(), "end\n");
    }
    let line = "cat /etc/resolv.conf > /dev/null && echo read";
    let finished = run(&stage, line, Network::On, &[]);
    assert_eq!(finished.stdout.text(), "read\n");
}

fn a_readable_folder_around_a_hidden_one_does_not_show_it() {
    let stage = Stage::new();
    let hidden = stage.path().join("hidden");
    let shown = hidden.join("shown");
    std::fs::create_dir_all(&shown).unwrap();
    std::fs::write(hidden.join("secret"), "secret").unwrap();
    std::fs::write(shown.join("file"), "file").unwrap();
    std::fs::write(stage.path().join("beside"), "beside").unwrap();
    let line = "cd ..; cat beside hidden/shown/file; ls hidden";
    let readable = vec![stage.path().to_owned(), shown];
    let finished = run_beside(&stage, line, readable, hidden, Network::On, &[]);
    assert_eq!(finished.stdout.text(), "besidefileshown\n");
}

fn no_process_of_the_outside_is_seen_and_none_is_left() {
    let stage = Stage::new();
    let line = "setsid sleep 1000 > /dev/null 2>&1 & ls /proc | grep -c '^[0-9]'";
    let finished = run(&stage, line, Network::On, &[]);
    let seen: u32 = finished.stdout.text().trim().parse().unwrap();
    assert!(seen < 10, "{seen} processes");
    assert!(finished.tree_ended);
    assert_eq!(stage.survivors(), []);
}

fn without_network_only_the_chosen_port_is_reachable() {
    let [chosen, other] = [(); 2].map(|()| TcpListener::bind("127.0.0.1:0").unwrap());
    let [chosen_port, other_port] =
        [&chosen, &other].map(|listener| listener.local_addr().unwrap().port());
    thread::spawn(move || {
        for connection in chosen.incoming() {
            let mut connection = connection.unwrap();
            let mut said = [0; 5];
            connection.read_exact(&mut said).unwrap();
            connection.write_all(b"heard ").unwrap();
            connection.write_all(&said).unwrap();
        }
    });
    let stage = Stage::new();
    let line = format!(
        "python3 -c '
import socket
def ask(port):
    try:
        with socket.create_connection((\"127.0.0.1\", port), 5) as s:
            s.sendall(b\"hello\")
            s.shutdown(socket.SHUT_WR)
            return b\"\".join(iter(lambda: s.recv(99), b\"\")).decode()
    except OSError as error:
        return type(error).__name__
print(ask({chosen_port}), ask({chosen_port}), ask({other_port}))
' && exit 7"
    );
    let finished = run(&stage, &line, Network::None, &[chosen_port]);
    let stderr = finished.stderr.text();
    assert_eq!(
        finished.stdout.text(),
        "heard hello heard hello ConnectionRefusedError\n",
        "{stderr}"
    );
    assert_eq!(finished.status.to_string(), "exit code 7");
    drop(other);
}

/// In many containers, the session of the first process is outside, where its number is not known.
fn a_session_outside_the_namespace_is_no_obstacle() {
    let missing = play::part("miss", "no-such-program");
    let container = Command::new("bwrap")
        .args(["--dev-bind", "/", "/", "--proc", "/proc", "--unshare-pid"])
        .arg(missing.get_program())
        .args(missing.get_args())
        .output();
    let output = container.unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    let error = "command `no-such-program` not found";
    assert_eq!(String::from_utf8_lossy(&output.stdout), error);
}
