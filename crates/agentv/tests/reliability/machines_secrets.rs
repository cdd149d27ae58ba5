//! Servers that ask for a password, a token, a key or a certificate; and none of them is recorded.

use std::fs;
use std::process::Command;

use agentv_testkit::{NatsServer, Project};

use crate::engine::{Worker, WorkerCommand, files_with, nats, nats_with, run_on};
use crate::program::{finish, project};
use crate::records::{each_case_once, run_folder};

const MOCK: &str = "targets: [{name: default, provider: mock, response: right}]";
const SECRET: &str = "n0t-for-anyone-else";

fn small_project() -> Project {
    project(MOCK, 4, |number| format!("number {number}"))
}

/// Runs the cases with variables for the run and its worker.
#[track_caller]
fn runs_with(url: &str, variables: &[(&str, &str)]) {
    let project = small_project();
    let mut worker = WorkerCommand::new(url, 2);
    let mut command = run_on(url, &project, &["--events", "events.jsonl"]);
    for (name, value) in variables {
        worker = worker.env(name, value);
        command.env(name, value);
    }
    let worker = worker.start();
    let ended = finish(&mut command).expect(0);
    each_case_once(&run_folder(&project), 4);
    let left = worker.leave().expect(0);
    let said = [ended.stdout, ended.stderr, left.stdout, left.stderr].concat();
    assert!(!said.contains(SECRET), "{said}");
    assert!(project.path("events.jsonl").is_file());
    let files = files_with(project.root().to_owned(), SECRET);
    assert!(files.is_empty(), "{files:?}");
}

/// Checks that a run without a secret is refused.
#[track_caller]
fn is_refused(url: &str) {
    is_refused_with(url, &[], "no NATS server answers at");
}

/// Checks that a run with variables is refused, and with what words.
#[track_caller]
fn is_refused_with(url: &str, variables: &[(&str, &str)], words: &str) {
    let project = small_project();
    let mut command = run_on(url, &project, &[]);
    command.envs(variables.iter().copied());
    let ended = finish(&mut command).expect(2);
    assert!(ended.stderr.contains(words), "{}", ended.stderr);
    assert!(!project.path(".agentv").exists());
}

fn with_login(server: &NatsServer, login: &str) -> String {
    server.url().replace("nats://", &format!("nats://{login}@"))
}

#[test]
fn a_user_and_a_password_come_from_the_address_or_the_environment() {
    let settings = format!("authorization {{ user: ann, password: \"{SECRET}\" }}");
    let Some(server) = nats_with(&settings) else {
        return;
    };
    is_refused(&server.url());
    runs_with(&with_login(&server, &format!("ann:{SECRET}")), &[]);
    let variables = [("NATS_USER", "ann"), ("NATS_PASSWORD", SECRET)];
    runs_with(&server.url(), &variables);
}

#[test]
fn a_token_comes_from_the_address_or_the_environment() {
    let settings = format!("authorization {{ token: \"{SECRET}\" }}");
    let Some(server) = nats_with(&settings) else {
        return;
    };
    is_refused(&server.url());
    runs_with(&with_login(&server, SECRET), &[]);
    runs_with(&server.url(), &[("NATS_TOKEN", SECRET)]);
}

/// A pair of keys for NATS, made for these tests only.
const NKEY: (&str, &str) = (
    "UDLW2XUKGC6CC7G7B7BRMCJTTIIXOFBQEE3YFMFTB5ZCHAVYRYG67SXD",
    "SUAEYGL2FJCUYRYU6NHGBAHCRQLUEKWGMRIKVUW6HFTMTPNCWTJK2REUME",
);

#[test]
fn a_key_of_nats_comes_from_the_environment() {
    let (public, seed) = NKEY;
    let settings = format!("authorization {{ users: [ {{ nkey: {public} }} ] }}");
    let Some(server) = nats_with(&settings) else {
        return;
    };
    is_refused(&server.url());
    runs_with(&server.url(), &[("NATS_NKEY", seed)]);
}

#[test]
fn a_file_with_credentials_is_named_by_the_environment() {
    // Made for these tests only: an operator, an account with JetStream, and a user.
    let settings = include_str!("../../../agentv-testkit/fixtures/nats/accounts.conf");
    let credentials = include_str!("../../../agentv-testkit/fixtures/nats/user.creds");
    let Some(server) = nats_with(settings) else {
        return;
    };
    is_refused(&server.url());
    let folder = Project::new(&[("user.creds", credentials)]).unwrap();
    let path = folder.path("user.creds").display().to_string();
    runs_with(&server.url(), &[("NATS_CREDS", &path)]);
}

/// Makes a key and a certificate for `127.0.0.1` with a program of the system; `None` if it is not installed.
fn certificate(folder: &Project, name: &str) -> Option<(String, String)> {
    let (key, certificate) = (
        folder.path(&format!("{name}-key.pem")),
        folder.path(&format!("{name}-cert.pem")),
    );
    let made = Command::new("openssl")
        .args([
            "req",
            "-x509",
            "-newkey",
            "ec",
            "-pkeyopt",
            "ec_paramgen_curve:prime256v1",
        ])
        .args(["-nodes", "-days", "30", "-subj", &format!("/CN={name}")])
        .args(["-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost"])
        .args(["-addext", "basicConstraints=critical,CA:FALSE"])
        .arg("-keyout")
        .arg(&key)
        .arg("-out")
        .arg(&certificate)
        .output();
    let paths = (key.display().to_string(), certificate.display().to_string());
    if made.is_ok_and(|output| output.status.success()) {
        Some(paths)
    } else {
        println!("skipped: openssl is not installed");
        None
    }
}

#[test]
fn a_server_with_tls_is_used_if_its_certificate_is_trusted() {
    let folder = Project::new(&[]).unwrap();
    let Some((key, certificate)) = certificate(&folder, "server") else {
        return;
    };
    let settings = format!(
        "tls {{ cert_file: {certificate:?}, key_file: {key:?} }}\nauthorization {{ token: \"{SECRET}\" }}"
    );
    let Some(server) = nats_with(&settings) else {
        return;
    };
    let url = with_login(&server, SECRET).replace("nats://", "tls://");
    is_refused(&url);
    runs_with(&url, &[("NATS_CA", &certificate)]);
}

#[test]
fn a_client_certificate_is_named_by_the_environment() {
    let folder = Project::new(&[]).unwrap();
    let (server, client) = (
        certificate(&folder, "server"),
        certificate(&folder, "client"),
    );
    let (Some((server_key, ca)), Some((key, certificate))) = (server, client) else {
        return;
    };
    // The server trusts this client, and nobody else.
    let settings = format!(
        "tls {{ cert_file: {ca:?}, key_file: {server_key:?}, ca_file: {certificate:?}, verify: true }}"
    );
    let Some(server) = nats_with(&settings) else {
        return;
    };
    let url = server.url();
    is_refused_with(&url, &[("NATS_CA", &ca)], "no NATS server answers at");
    let of_another = [
        ("NATS_CA", &*ca),
        ("NATS_CERT", &ca),
        ("NATS_KEY", &server_key),
    ];
    is_refused_with(&url, &of_another, "no NATS server answers at");
    let half = [("NATS_CA", &*ca), ("NATS_CERT", &certificate)];
    is_refused_with(&url, &half, "`NATS_CERT` is set, but not `NATS_KEY`");
    let variables = [
        ("NATS_CA", &*ca),
        ("NATS_CERT", &certificate),
        ("NATS_KEY", &key),
    ];
    runs_with(&url, &variables);
    let text = fs::read_to_string(&key).unwrap();
    let line = text.lines().nth(1).unwrap();
    assert_eq!(
        files_with(server.folder().to_owned(), line),
        [] as [std::path::PathBuf; 0]
    );
}

#[test]
fn several_engines_share_a_server_without_noticing_each_other() {
    let Some(server) = nats() else { return };
    let other = WorkerCommand::new(&server.url(), 2).args(&["--engine-name", "other"]);
    let other = other.start();
    other.until_says("engine `other`");
    let own = Worker::start(&server.url(), 2);
    let project = small_project();
    finish(&mut run_on(&server.url(), &project, &[])).expect(0);
    let named = small_project();
    let name = ["--engine-name", "other"];
    finish(&mut run_on(&server.url(), &named, &name)).expect(0);
    let ids = [run_folder(&project), run_folder(&named)];
    let ids = ids.map(|folder| folder.file_name().unwrap().to_str().unwrap().to_owned());
    let (own, other) = (own.leave().expect(0).stderr, other.leave().expect(0).stderr);
    assert!(own.contains(&ids[0]) && !own.contains(&ids[1]), "{own}");
    assert!(
        other.contains(&ids[1]) && !other.contains(&ids[0]),
        "{other}"
    );
}
