//! A headless browser, which ends with the test.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

use super::devtools::Devtools;
use super::page::Page;

/// The names of Chromium in various packages.
const NAMES: &[&str] = &[
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
];

/// A running browser with its own profile.
#[derive(Debug)]
pub struct Browser {
    child: Child,
    devtools: Devtools,
    _profile: TempDir,
}

impl Browser {
    /// Starts the browser that `CHROME` names, otherwise an installed one.
    pub fn start() -> Browser {
        let profile = tempfile::tempdir().unwrap();
        // The browser communicates on descriptors 3 and 4, and ends when they are closed.
        let mut child = Command::new("sh")
            .args(["-c", "exec \"$0\" \"$@\" 3<&0 4>&1 0</dev/null 1>&2"])
            .arg(program())
            .args(["--headless", "--remote-debugging-pipe", "--no-sandbox"])
            .args(["--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"])
            .args(["--disable-background-networking", "--disable-sync"])
            .args(["--disable-background-timer-throttling", "--mute-audio"])
            .args(["--disable-renderer-backgrounding", "--hide-scrollbars"])
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let devtools = Devtools::new(child.stdin.take().unwrap(), child.stdout.take().unwrap());
        Browser {
            child,
            devtools,
            _profile: profile,
        }
    }

    /// Opens a file, with an optional text after `#`, and waits until its content is shown.
    pub fn open(&self, file: &Path, hash: &str) -> Page<'_> {
        let page = self.blank();
        page.go(&format!("file://{}{hash}", file.display()));
        page
    }

    /// Opens a page of a server and waits until its content is shown.
    pub fn visit(&self, address: &str) -> Page<'_> {
        let page = self.blank();
        page.go(address);
        page
    }

    /// Opens an empty page.
    pub fn blank(&self) -> Page<'_> {
        let target = self.call("Target.createTarget", json!({"url": "about:blank"}));
        let target = target["targetId"].as_str().unwrap().to_owned();
        let attach = json!({"targetId": target, "flatten": true});
        let session = self.call("Target.attachToTarget", attach);
        let session = session["sessionId"].as_str().unwrap().to_owned();
        Page::new(&self.devtools, target, session)
    }

    fn call(&self, method: &str, params: Value) -> Value {
        self.devtools.call(None, method, params)
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // It may have ended by itself.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

fn program() -> PathBuf {
    if let Some(chosen) = env::var_os("CHROME") {
        return chosen.into();
    }
    let path = env::var_os("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> = env::split_paths(&path).collect();
    let places = NAMES
        .iter()
        .flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
    places.into_iter().find(|place| place.is_file()).unwrap_or_else(|| {
        panic!("no browser is found: install Debian's `chromium`, or name one in the variable CHROME")
    })
}
