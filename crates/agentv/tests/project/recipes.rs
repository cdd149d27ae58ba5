//! The files in `examples/machines` are valid, and their commands work.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use agentv_syntax::{Node, Tree, yaml};
use agentv_testkit::{NatsServer, Project};

const CASES: usize = 24;

fn recipe(name: &str) -> String {
    let path = crate::repository().join("examples/machines").join(name);
    fs::read_to_string(path).unwrap()
}

fn parsed(name: &str) -> Tree {
    let mut tree = Tree::default();
    yaml::parse(&recipe(name), &mut tree).unwrap_or_else(|error| panic!("{name}: {error:?}"));
    tree
}

/// Returns the value at a path of keys; a number is the index of an item.
#[track_caller]
fn at<'t>(tree: &'t Tree, path: &[&str]) -> Node<'t> {
    path.iter().fold(tree.root(), |node, key| {
        let found = match key.parse::<usize>() {
            Ok(index) => node.items().nth(index),
            Err(_) => node.get(key),
        };
        found.unwrap_or_else(|| panic!("no `{key}` of {path:?}"))
    })
}

fn words(node: Node<'_>) -> Vec<String> {
    node.items().map(|word| word.text().into_owned()).collect()
}

/// A project with evals that need no model.
fn project() -> Project {
    let case = |number: usize| {
        format!(
            "{{\"id\": \"case-{number:02}\", \"input\": \"{number}\", \
             \"evaluators\": [{{\"type\": \"contains\", \"value\": \"right\"}}]}}\n"
        )
    };
    let cases: String = (0..CASES).map(case).collect();
    let targets = "targets: [{name: default, provider: mock, response: right}]";
    let files = [
        (".git/HEAD", ""),
        ("targets.yaml", targets),
        ("evals/cases.jsonl", &cases),
    ];
    Project::new(&files).unwrap()
}

/// Returns a command in a project, with `agentv` on its path and no other variables.
fn command(project: &Project, program: &str) -> Command {
    let beside = Path::new(env!("CARGO_BIN_EXE_agentv")).parent().unwrap();
    let path = format!("{}:{}", beside.display(), std::env::var("PATH").unwrap());
    let mut command = Command::new(program);
    command
        .env_clear()
        .env("PATH", path)
        .env("HOME", project.root())
        .stdin(Stdio::null())
        .current_dir(project.root());
    command
}

#[track_caller]
fn succeeds(command: &mut Command) -> String {
    let output = command.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}\n{text}{errors}");
    text
}

#[track_caller]
fn all_passed(summary: &str) {
    let all = format!("{CASES} passed · 0 failed · 0 errored");
    assert!(summary.contains(&all), "{summary}");
}

#[test]
fn the_kubernetes_job_runs_all_shards() {
    let tree = parsed("kubernetes.yaml");
    let container = ["spec", "template", "spec", "containers", "0"];
    let of_container = |key: &[&str]| at(&tree, &[&container, key].concat());
    let completions = at(&tree, &["spec", "completions"]).text();
    let count = of_container(&["env", "0", "value"]).text();
    assert_eq!(completions, count);
    let words = words(of_container(&["command"]));
    let project = project();
    for index in 0..count.parse::<usize>().unwrap() {
        let mut shard = command(&project, &words[0]);
        shard
            .args(&words[1..])
            .env("AGENTV_SHARD_COUNT", &*count)
            .env("JOB_COMPLETION_INDEX", index.to_string());
        succeeds(&mut shard);
    }
    let mut merge = command(&project, "sh");
    merge.args(["-c", "agentv merge .agentv/results/*/"]);
    all_passed(&succeeds(&mut merge));
}

#[test]
fn the_slurm_script_runs_all_shards_and_merges_them() {
    let project = project();
    let script = project.write("slurm.sh", recipe("slurm.sh")).unwrap();
    for task in 1..=8 {
        let mut shard = command(&project, "sh");
        shard
            .arg(&script)
            .env("SLURM_ARRAY_TASK_ID", task.to_string())
            .env("SLURM_ARRAY_TASK_COUNT", "8")
            .env("SLURM_ARRAY_TASK_MIN", "1")
            .env("SLURM_ARRAY_TASK_MAX", "8");
        succeeds(&mut shard);
    }
    let mut merge = command(&project, "sh");
    all_passed(&succeeds(merge.arg(&script).arg("merge")));
    assert!(project.path("report.html").is_file());
}

#[test]
fn the_github_workflow_runs_all_shards_and_merges_them() {
    let tree = parsed("github.yml");
    let lines_of = |job: &str| -> Vec<String> {
        let steps = at(&tree, &["jobs", job, "steps"]).items();
        let lines = steps.filter_map(|step| step.get("run"));
        let lines = lines.map(|line| line.text().into_owned());
        lines.filter(|line| line.starts_with("agentv ")).collect()
    };
    let shards = at(&tree, &["jobs", "shard", "strategy", "matrix", "shard"]).len();
    let project = project();
    let [line] = <[String; 1]>::try_from(lines_of("shard")).unwrap();
    for index in 0..shards {
        let mut shard = command(&project, "sh");
        shard
            .args(["-c", &line])
            .env("AGENTV_SHARD_INDEX", index.to_string())
            .env("AGENTV_SHARD_COUNT", shards.to_string());
        succeeds(&mut shard);
    }
    let [line] = <[String; 1]>::try_from(lines_of("merge")).unwrap();
    let mut merge = command(&project, "sh");
    merge
        .args(["-c", &line])
        .env("GITHUB_STEP_SUMMARY", project.path("summary.md"));
    all_passed(&succeeds(&mut merge));
    assert!(project.path("summary.md").is_file());
}

/// A process that is killed at the end.
struct Killed(Child);

impl Drop for Killed {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn the_services_of_docker_compose_execute_a_run() {
    let tree = parsed("compose.yaml");
    let replicas = at(&tree, &["services", "worker", "deploy", "replicas"]).text();
    assert_eq!(replicas, "4");
    let volume = at(&tree, &["services", "nats", "volumes", "0"]).text();
    let (name, folder) = volume.split_once(':').unwrap();
    assert!(at(&tree, &["volumes"]).get(name).is_some(), "{volume}");
    let Some(program) = NatsServer::program() else {
        return;
    };
    // The words of the service, with a folder and a port of this machine.
    let storage = Project::new(&[]).unwrap();
    let data = storage.root().display().to_string();
    let server = words(at(&tree, &["services", "nats", "command"]));
    let server = server.iter().map(|word| word.replace(folder, &data));
    let ports = [
        "--ports_file_dir",
        &data,
        "--addr",
        "127.0.0.1",
        "--port",
        "-1",
    ];
    let mut nats = Command::new(program);
    let nats = nats.args(server).args(ports).stderr(Stdio::null());
    let _nats = Killed(nats.spawn().unwrap());
    let url = address_of(&storage);
    let worker = words(at(&tree, &["services", "worker", "command"]));
    let worker: Vec<String> = worker
        .iter()
        .map(|word| word.replace("nats://nats:4222", &url))
        .collect();
    let project = project();
    let home = Project::new(&[]).unwrap();
    let workers: Vec<Killed> = (0..4)
        .map(|_| {
            let mut started = command(&home, &worker[0]);
            let started = started.args(&worker[1..]).stdout(Stdio::null());
            Killed(started.stderr(Stdio::null()).spawn().unwrap())
        })
        .collect();
    let mut run = command(&project, "agentv");
    run.args(["run", "evals", "--engine", &url]);
    let summary = succeeds(&mut run);
    all_passed(&summary);
    assert!(summary.contains("on 1 machine\n"), "{summary}");
    drop(workers);
    assert!(storage.path("jetstream").is_dir());
}

/// Returns the address of a server, once it has written its ports.
fn address_of(folder: &Project) -> String {
    let until = Instant::now() + Duration::from_secs(120);
    loop {
        for entry in fs::read_dir(folder.root()).unwrap().flatten() {
            let text = fs::read_to_string(entry.path()).unwrap_or_default();
            let ports: serde_json::Value = serde_json::from_str(&text).unwrap_or_default();
            if let Some(address) = ports["nats"][0].as_str() {
                return address.to_owned();
            }
        }
        assert!(Instant::now() < until, "the server does not start");
        std::thread::sleep(Duration::from_millis(5));
    }
}
