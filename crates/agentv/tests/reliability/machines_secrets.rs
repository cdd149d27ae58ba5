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
    let mut command = run_on(url, &project, &[]);
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
    let files = files_with(project.path(".agentv"), SECRET);
    assert!(files.is_empty(), "{files:?}");
}

/// Checks that a run without a secret is refused.
#[track_caller]
fn is_refused(url: &str) {
    let project = small_project();
    let ended = finish(&mut run_on(url, &project, &[])).expect(2);
    assert!(
        ended.stderr.contains("no NATS server answers at"),
        "{}",
        ended.stderr
    );
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

/// Makes a certificate for `127.0.0.1` with a program of the system; `None` if it is not installed.
fn certificate(folder: &Project) -> Option<(String, String)> {
    let (key, certificate) = (folder.path("key.pem"), folder.path("cert.pem"));
    let made = Command::new("openssl")
        .args([
            "req",
            "-x509",
            "-newkey",
            "ec",
            "-pkeyopt",
            "ec_paramgen_curve:prime256v1",
        ])
        .args(["-nodes", "-days", "30", "-subj", "/CN=localhost"])
        .args(["-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost"])
        .args(["-addext", "basicConstraints=critical,CA:FALSE"])
        .arg("-keyout")
        .arg(&key)
        .arg("-out")
        .arg(&certificate)
        .output();
    let is_made = made.is_ok_and(|output| output.status.success());
    let paths = (key.display().to_string(), certificate.display().to_string());
    is_made.then_some(paths)
}

#[test]
fn a_server_with_tls_is_used_if_its_certificate_is_trusted() {
    let folder = Project::new(&[]).unwrap();
    let Some((key, certificate)) = certificate(&folder) else {
        println!("skipped: openssl is not installed");
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
    assert!(fs::metadata(&key).is_ok());
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
