//! Attacks: other hosts, other origins, other sites, other methods, other paths.

use std::fs;
use std::net::Ipv4Addr;
use std::os::unix::fs::symlink;

use agentv_testkit::runs::{ten, write_run};
use agentv_view::{Binding, Runs, Server};

use crate::client::Running;

const ID: &str = "2026-11-15T10-43-07Z-4f1a";

fn served() -> (tempfile::TempDir, Running) {
    let root = tempfile::tempdir().unwrap();
    write_run(root.path(), ID, &serde_json::json!({}), ten());
    let running = Running::of(root.path());
    (root, running)
}

#[test]
fn only_the_exact_host_is_answered() {
    let (_root, server) = served();
    let port = server.address.port();
    for host in [format!("127.0.0.1:{port}"), format!("localhost:{port}")] {
        assert_eq!(
            server.send("GET", "/api/runs", &[("host", &host)]).status,
            200,
            "{host}"
        );
    }
    for host in [
        "evil.example".to_owned(),
        format!("evil.example:{port}"),
        "127.0.0.1".to_owned(),
        "localhost".to_owned(),
        format!("127.0.0.1:{}", port ^ 1),
        format!("127.0.0.1.evil.example:{port}"),
        format!("localhost.evil.example:{port}"),
        format!("127.0.0.1:{port}@evil.example"),
        format!("[::1]:{port}"),
        format!("LOCALHOST:{port}"),
        format!("127.1:{port}"),
        format!("0.0.0.0:{port}"),
        String::new(),
    ] {
        for path in ["/", "/api/runs", "/app.js"] {
            let answer = server.send("GET", path, &[("host", &host)]);
            assert!(matches!(answer.status, 400 | 403), "{host}: {answer:?}");
            assert!(!answer.text().contains("2026-11-15"), "{host}");
        }
    }
    let host = server.address.to_string();
    assert!(matches!(
        server.send("GET", "/api/runs", &[]).status,
        400 | 403
    ));
    let twice = [("host", &*host), ("host", "evil.example")];
    assert!(matches!(
        server.send("GET", "/api/runs", &twice).status,
        400 | 403
    ));
    let absolute = server.send("GET", "http://evil.example/api/runs", &[("host", &host)]);
    assert_eq!(absolute.status, 403);
}

#[test]
fn other_origins_and_other_sites_get_nothing() {
    let (_root, server) = served();
    let own = format!("http://{}", server.address);
    assert_eq!(
        server.get_with("/api/runs", &[("origin", &own)]).status,
        200
    );
    for origin in [
        "http://evil.example",
        "null",
        "https://127.0.0.1",
        "http://127.0.0.1",
        "",
        "file://",
    ] {
        let answer = server.get_with("/api/runs", &[("origin", origin)]);
        assert_eq!(answer.status, 403, "{origin}");
        assert_eq!(answer.header("access-control-allow-origin"), None);
    }
    let with_https = own.replace("http:", "https:");
    assert_eq!(
        server
            .get_with("/api/runs", &[("origin", &with_https)])
            .status,
        403
    );
    for site in ["cross-site", "same-site"] {
        for path in ["/api/runs", "/app.js", "/api/runs/x/events"] {
            assert_eq!(
                server.get_with(path, &[("sec-fetch-site", site)]).status,
                403,
                "{site} {path}"
            );
        }
        let link = [
            ("sec-fetch-site", site),
            ("sec-fetch-mode", "navigate"),
            ("sec-fetch-dest", "document"),
        ];
        assert_eq!(server.get_with("/", &link).status, 200);
        assert_eq!(server.get_with("/api/runs", &link).status, 403);
        let frame = [
            ("sec-fetch-site", site),
            ("sec-fetch-mode", "navigate"),
            ("sec-fetch-dest", "iframe"),
        ];
        assert_eq!(server.get_with("/", &frame).status, 403);
    }
}

#[test]
fn nothing_can_be_changed_and_no_preflight_succeeds() {
    let (_root, server) = served();
    let host = server.address.to_string();
    for method in ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"] {
        let answer = server.send(
            method,
            "/api/runs",
            &[("host", &host), ("content-length", "0")],
        );
        assert_eq!(answer.status, 405, "{method}");
        assert!(
            !answer.head.to_ascii_lowercase().contains("access-control"),
            "{answer:?}"
        );
    }
}

#[test]
fn every_answer_forbids_inline_script_sniffing_and_framing() {
    let (_root, server) = served();
    for path in [
        "/",
        "/app.js",
        "/app.css",
        "/api/runs",
        "/nothing",
        &format!("/run/{ID}"),
    ] {
        let answer = server.get(path);
        let policy = answer.header("content-security-policy").unwrap();
        assert!(
            policy.starts_with("default-src 'none'; script-src 'self';"),
            "{policy}"
        );
        assert!(!policy.contains("unsafe"), "{policy}");
        assert_eq!(answer.header("x-content-type-options").unwrap(), "nosniff");
        assert_eq!(answer.header("x-frame-options").unwrap(), "DENY");
        assert_eq!(
            answer.header("cross-origin-resource-policy").unwrap(),
            "same-origin"
        );
    }
    let page = server.get("/").text();
    assert!(page.contains("<script src=\"/app.js\"></script>"), "{page}");
    assert!(!page.contains("<style>") && !page.contains("{{"), "{page}");
}

#[test]
fn paths_never_leave_the_results_folder() {
    let root = tempfile::tempdir().unwrap();
    let results = root.path().join("results");
    write_run(&results, ID, &serde_json::json!({}), ten());
    let outside = write_run(
        &root.path().join("outside"),
        "secret-run",
        &serde_json::json!({}),
        ten(),
    );
    symlink(&outside, results.join("linked-run")).unwrap();
    let inside = write_run(&results, "half-linked", &serde_json::json!({}), ten());
    fs::remove_file(inside.join("transcripts.jsonl")).unwrap();
    symlink(
        outside.join("transcripts.jsonl"),
        inside.join("transcripts.jsonl"),
    )
    .unwrap();
    let server = Running::of(&results);
    for id in [
        "..",
        ".",
        "%2e%2e",
        "..%2foutside%2fsecret-run",
        "%2e%2e%2foutside%2fsecret-run",
        "secret-run",
        "linked-run",
        "..%5coutside",
        "%00",
        "2026-11-15T10-43-07Z-4f1a%2f..%2f..%2foutside%2fsecret-run",
        "results.jsonl",
    ] {
        for rest in [
            "",
            "/facts",
            "/trials",
            "/trials/0",
            "/trials/0/transcript",
            "/events",
        ] {
            let answer = server.get(&format!("/api/runs/{id}{rest}"));
            assert!(matches!(answer.status, 400 | 404), "{id}{rest}: {answer:?}");
        }
    }
    let linked = server.get("/api/runs/half-linked/trials/0/transcript");
    assert_eq!(linked.status, 403, "{linked:?}");
    for path in [
        "/../outside/secret-run/results.jsonl",
        "/api/../../etc/passwd",
        "//etc/passwd",
        "/run/%2e%2e/x",
    ] {
        assert!(matches!(server.get(path).status, 400 | 403 | 404), "{path}");
    }
    let ids: Vec<String> = server.get("/api/runs").json()["runs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|run| run["id"].as_str().unwrap().to_owned())
        .collect();
    assert!(!ids.contains(&"linked-run".to_owned()), "{ids:?}");
}

#[test]
fn other_addresses_need_a_token_in_every_request() {
    let root = tempfile::tempdir().unwrap();
    write_run(root.path(), ID, &serde_json::json!({}), ten());
    let everywhere = Binding {
        host: Ipv4Addr::UNSPECIFIED.into(),
        port: 0,
        token: None,
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let refused = runtime.block_on(Server::bind(
        Runs::of_folder(root.path()),
        everywhere.clone(),
    ));
    assert!(refused.unwrap_err().to_string().contains("token"));
    let token = Some("0123456789abcdef".to_owned());
    let server = Running::with(
        Runs::of_folder(root.path()),
        Binding {
            token,
            ..everywhere
        },
    );
    let host = format!("127.0.0.1:{}", server.address.port());
    let get = |path: &str, headers: &[(&str, &str)]| {
        let mut all = vec![("host", &*host)];
        all.extend(headers);
        server.send("GET", path, &all)
    };
    assert_eq!(get("/api/runs", &[]).status, 401);
    assert_eq!(get("/api/runs?token=0123456789abcdee", &[]).status, 401);
    assert_eq!(get("/api/runs?token=", &[]).status, 401);
    let page = get("/?token=0123456789abcdef", &[]);
    let cookie = page.header("set-cookie").unwrap();
    assert_eq!(
        cookie,
        "agentv-view=0123456789abcdef; Path=/; HttpOnly; SameSite=Strict"
    );
    assert_eq!(
        get(
            "/api/runs",
            &[("cookie", "other=1; agentv-view=0123456789abcdef")]
        )
        .status,
        200
    );
    let named = format!("rebound.example:{}", server.address.port());
    let rebound = server.send(
        "GET",
        "/api/runs",
        &[("host", &named), ("cookie", "agentv-view=0123456789abcdef")],
    );
    assert_eq!(rebound.status, 403);
}
