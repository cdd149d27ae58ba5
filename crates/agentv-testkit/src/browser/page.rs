//! A page of the browser: its content, and the actions of a person.

use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::devtools::Devtools;

/// The longest time that a page may take for anything, in milliseconds.
const PATIENCE_MS: u64 = 60_000;

/// A page; closed when dropped.
#[derive(Debug)]
pub struct Page<'a> {
    devtools: &'a Devtools,
    target: String,
    session: String,
}

impl<'a> Page<'a> {
    pub(super) fn new(devtools: &'a Devtools, target: String, session: String) -> Page<'a> {
        let page = Page {
            devtools,
            target,
            session,
        };
        for domain in ["Page", "Runtime", "Log", "Network"] {
            page.call(&format!("{domain}.enable"), json!({}));
        }
        page.call(
            "Emulation.setFocusEmulationEnabled",
            json!({"enabled": true}),
        );
        // High enough to show all rows of a small run.
        page.size(1440, 3000);
        page
    }

    /// Calls a method of the browser for this page.
    pub fn call(&self, method: &str, params: Value) -> Value {
        self.devtools.call(Some(&self.session), method, params)
    }

    /// Opens an address and waits until the report is shown.
    pub fn go(&self, address: &str) {
        self.call("Page.navigate", json!({"url": address}));
        self.wait("document.documentElement?.dataset.ready === 'yes'");
    }

    /// Waits until the page has followed a link to a path, and its content is shown.
    pub fn wait_for_path(&self, path: &str) {
        let end = Instant::now() + Duration::from_millis(PATIENCE_MS);
        loop {
            // Nothing is evaluated in the old page, which may go away at any moment.
            let target = json!({"targetId": self.target});
            let target = self.devtools.call(None, "Target.getTargetInfo", target);
            let address = target["targetInfo"]["url"].as_str().unwrap_or_default();
            if address.contains(path) {
                break;
            }
            assert!(Instant::now() < end, "still at {address}, not at {path}");
            thread::sleep(Duration::from_millis(20));
        }
        self.wait("document.documentElement?.dataset.ready === 'yes'");
    }

    /// Returns the value of an expression.
    pub fn value(&self, expression: &str) -> Value {
        let params = json!({
            "expression": expression, "awaitPromise": true, "returnByValue": true,
        });
        let result = self.call("Runtime.evaluate", params);
        let thrown = result.get("exceptionDetails");
        assert!(thrown.is_none(), "{expression}: {}", thrown.unwrap());
        result["result"]["value"].clone()
    }

    /// Returns the text of the first element that a selector finds.
    pub fn text(&self, selector: &str) -> String {
        let found = self.value(&format!(
            "document.querySelector({selector:?})?.textContent"
        ));
        found.as_str().unwrap_or_default().to_owned()
    }

    /// Returns the number of elements that a selector finds.
    pub fn count(&self, selector: &str) -> u64 {
        let found = self.value(&format!("document.querySelectorAll({selector:?}).length"));
        found.as_u64().unwrap()
    }

    /// Waits until a condition holds.
    pub fn wait(&self, condition: &str) {
        let expression = format!(
            "(async () => {{
                const end = Date.now() + {PATIENCE_MS};
                while (!({condition})) {{
                    if (Date.now() > end) return false;
                    await new Promise((resume) => setTimeout(resume, 10));
                }}
                return true;
            }})()"
        );
        assert_eq!(
            self.value(&expression),
            true,
            "never came: {condition}\n{:?}",
            self.troubles()
        );
    }

    /// Presses a key.
    pub fn press(&self, key: &str) {
        let text = match key {
            "Enter" => "\r",
            one if one.chars().count() == 1 => one,
            _ => "",
        };
        let code = match key {
            "Enter" => 13,
            "Escape" => 27,
            "ArrowUp" => 38,
            "ArrowDown" => 40,
            "PageDown" => 34,
            "End" => 35,
            "Home" => 36,
            _ => 0,
        };
        let down = json!({
            "type": "keyDown", "key": key, "text": text, "windowsVirtualKeyCode": code,
        });
        self.call("Input.dispatchKeyEvent", down);
        let up = json!({"type": "keyUp", "key": key, "windowsVirtualKeyCode": code});
        self.call("Input.dispatchKeyEvent", up);
    }

    /// Types a text into the focused element.
    pub fn type_text(&self, text: &str) {
        self.call("Input.insertText", json!({"text": text}));
    }

    /// Clicks on the first element that a selector finds.
    pub fn click(&self, selector: &str) {
        self.value(&format!("document.querySelector({selector:?}).click()"));
    }

    /// Chooses a value of a list.
    pub fn choose(&self, selector: &str, value: &str) {
        self.value(&format!(
            "(() => {{ const field = document.querySelector({selector:?}); field.value = {value:?};
                field.dispatchEvent(new Event(field.tagName === 'SELECT' ? 'change' : 'input')); }})()"
        ));
    }

    /// Types a text into the search field, and waits until the list shows what was found.
    pub fn search(&self, text: &str) {
        self.choose("#text", text);
        self.wait_for_search();
    }

    /// Waits until the list shows everything that the search found.
    pub fn wait_for_search(&self) {
        self.wait("document.getElementById('list').getAttribute('aria-busy') === 'false'");
    }

    /// Opens the trial with this id from the list, and waits until it is shown.
    pub fn open_trial(&self, id: &str) {
        let id = serde_json::to_string(id).unwrap();
        let row = format!(
            "[...document.querySelectorAll('.row')].find((row) => row.querySelector('b').textContent === {id})"
        );
        self.wait(&row);
        self.value(&format!("{row}.click()"));
        self.wait("document.getElementById('case').dataset.ready > ''");
    }

    /// Returns the ids of the rows in the document, from top to bottom.
    pub fn ids(&self) -> Vec<String> {
        let found = self.value(
            "[...document.querySelectorAll('.row')].sort((a, b) => a.dataset.at - b.dataset.at)
                .map((row) => row.querySelector('b').textContent)",
        );
        let found = found.as_array().unwrap().iter();
        found.map(|id| id.as_str().unwrap().to_owned()).collect()
    }

    /// Returns the text about the number of listed trials.
    pub fn told(&self) -> String {
        self.text("#controls .count span")
    }

    /// Sets the size of the window.
    pub fn size(&self, width: u32, height: u32) {
        let size = json!({
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false,
        });
        self.call("Emulation.setDeviceMetricsOverride", size);
    }

    /// Sets the preferred colour scheme to `light` or `dark`.
    pub fn prefer(&self, scheme: &str) {
        let feature = json!({"name": "prefers-color-scheme", "value": scheme});
        self.call("Emulation.setEmulatedMedia", json!({"features": [feature]}));
    }

    /// Returns everything that went wrong in the page: errors, warnings, dialogs and requests.
    pub fn troubles(&self) -> Vec<String> {
        let events = self.devtools.events(&self.session);
        let is_trouble = |event: &&Value| match event["method"].as_str().unwrap_or_default() {
            "Runtime.exceptionThrown" | "Runtime.consoleAPICalled" => true,
            "Log.entryAdded" | "Page.javascriptDialogOpening" => true,
            "Network.requestWillBeSent" => {
                let address = event["params"]["request"]["url"]
                    .as_str()
                    .unwrap_or_default();
                let is_file =
                    address.starts_with("file://") && event["params"]["type"] == "Document";
                !is_file && !self.is_own(address)
            }
            _ => false,
        };
        let troubles = events.iter().filter(is_trouble);
        troubles.map(Value::to_string).collect()
    }

    /// Checks if an address is one of the server that the page came from.
    fn is_own(&self, address: &str) -> bool {
        let origin = self.value("location.origin");
        let origin = origin
            .as_str()
            .filter(|origin| origin.starts_with("http://"));
        origin.is_some_and(|origin| address.starts_with(&format!("{origin}/")))
    }

    /// Fails if anything went wrong in the page, or a foreign script ran.
    pub fn assert_calm(&self) {
        assert_eq!(self.troubles(), Vec::<String>::new());
        assert_eq!(self.value("typeof window.__xss"), "undefined");
    }

    /// Writes a screenshot to the folder that `SHOTS` names, if it is set.
    pub fn shot(&self, name: &str) {
        let Some(folder) = std::env::var_os("SHOTS") else {
            return;
        };
        let params = json!({"format": "png"});
        let shot = self.call("Page.captureScreenshot", params);
        let bytes = base64::Engine::decode(
            &base64::engine::general_purpose::STANDARD,
            shot["data"].as_str().unwrap(),
        );
        let path = std::path::Path::new(&folder).join(format!("{name}.png"));
        std::fs::write(path, bytes.unwrap()).unwrap();
    }
}

impl Drop for Page<'_> {
    fn drop(&mut self) {
        let close = json!({"targetId": self.target});
        self.devtools.call(None, "Target.closeTarget", close);
    }
}
