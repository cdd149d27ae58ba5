//! A page of the browser: what is in it, and what a person does with it.

use serde_json::{Value, json};

use crate::devtools::Devtools;

/// How long a page may take for anything, in milliseconds.
const PATIENCE_MS: u64 = 60_000;

/// A page; closed when dropped.
#[derive(Debug)]
pub(crate) struct Page<'a> {
    devtools: &'a Devtools,
    target: String,
    session: String,
}

impl<'a> Page<'a> {
    pub(crate) fn new(devtools: &'a Devtools, target: String, session: String) -> Page<'a> {
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
        // High enough for all rows of a small run to be in sight.
        page.size(1440, 3000);
        page
    }

    pub(crate) fn call(&self, method: &str, params: Value) -> Value {
        self.devtools.call(Some(&self.session), method, params)
    }

    /// Goes to an address, and waits until the report shows what it has.
    pub(crate) fn go(&self, address: &str) {
        self.call("Page.navigate", json!({"url": address}));
        self.wait("document.documentElement?.dataset.ready === 'yes'");
    }

    /// The value of an expression.
    pub(crate) fn value(&self, expression: &str) -> Value {
        let params = json!({
            "expression": expression, "awaitPromise": true, "returnByValue": true,
        });
        let result = self.call("Runtime.evaluate", params);
        let thrown = result.get("exceptionDetails");
        assert!(thrown.is_none(), "{expression}: {}", thrown.unwrap());
        result["result"]["value"].clone()
    }

    /// The text of what a selector finds first.
    pub(crate) fn text(&self, selector: &str) -> String {
        let found = self.value(&format!(
            "document.querySelector({selector:?})?.textContent"
        ));
        found.as_str().unwrap_or_default().to_owned()
    }

    /// How many elements a selector finds.
    pub(crate) fn count(&self, selector: &str) -> u64 {
        let found = self.value(&format!("document.querySelectorAll({selector:?}).length"));
        found.as_u64().unwrap()
    }

    /// Waits until a condition holds.
    pub(crate) fn wait(&self, condition: &str) {
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
    pub(crate) fn press(&self, key: &str) {
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

    /// Types a text into what has the focus.
    pub(crate) fn type_text(&self, text: &str) {
        self.call("Input.insertText", json!({"text": text}));
    }

    /// Clicks on what a selector finds first.
    pub(crate) fn click(&self, selector: &str) {
        self.value(&format!("document.querySelector({selector:?}).click()"));
    }

    /// Chooses a value of a list.
    pub(crate) fn choose(&self, selector: &str, value: &str) {
        self.value(&format!(
            "(() => {{ const field = document.querySelector({selector:?}); field.value = {value:?};
                field.dispatchEvent(new Event(field.tagName === 'SELECT' ? 'change' : 'input')); }})()"
        ));
    }

    /// Opens the trial of the list that has this id, and waits until it is shown.
    pub(crate) fn open_trial(&self, id: &str) {
        let id = serde_json::to_string(id).unwrap();
        let row = format!(
            "[...document.querySelectorAll('.row')].find((row) => row.querySelector('b').textContent === {id})"
        );
        self.wait(&row);
        self.value(&format!("{row}.click()"));
        self.wait("document.getElementById('case').dataset.ready > ''");
    }

    /// The ids of the rows that are in the document, from top to bottom.
    pub(crate) fn ids(&self) -> Vec<String> {
        let found = self.value(
            "[...document.querySelectorAll('.row')].sort((a, b) => a.dataset.at - b.dataset.at)
                .map((row) => row.querySelector('b').textContent)",
        );
        let found = found.as_array().unwrap().iter();
        found.map(|id| id.as_str().unwrap().to_owned()).collect()
    }

    /// What the list says of how many there are.
    pub(crate) fn told(&self) -> String {
        self.text("#controls .count span")
    }

    pub(crate) fn size(&self, width: u32, height: u32) {
        let size = json!({
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false,
        });
        self.call("Emulation.setDeviceMetricsOverride", size);
    }

    /// Has the system prefer `light` or `dark`.
    pub(crate) fn prefer(&self, scheme: &str) {
        let feature = json!({"name": "prefers-color-scheme", "value": scheme});
        self.call("Emulation.setEmulatedMedia", json!({"features": [feature]}));
    }

    /// Everything that went wrong in the page: errors, warnings, dialogs, and requests to anywhere.
    pub(crate) fn troubles(&self) -> Vec<String> {
        let events = self.devtools.events(&self.session);
        let is_trouble = |event: &&Value| match event["method"].as_str().unwrap_or_default() {
            "Runtime.exceptionThrown" | "Runtime.consoleAPICalled" => true,
            "Log.entryAdded" | "Page.javascriptDialogOpening" => true,
            "Network.requestWillBeSent" => {
                let address = event["params"]["request"]["url"]
                    .as_str()
                    .unwrap_or_default();
                !address.starts_with("file://") || event["params"]["type"] != "Document"
            }
            _ => false,
        };
        let troubles = events.iter().filter(is_trouble);
        troubles.map(Value::to_string).collect()
    }

    /// Fails where something went wrong in the page, or a script of somebody else ran.
    pub(crate) fn assert_calm(&self) {
        assert_eq!(self.troubles(), Vec::<String>::new());
        assert_eq!(self.value("typeof window.__xss"), "undefined");
    }

    /// Writes what the page looks like to the folder that `SHOTS` names, where it does.
    pub(crate) fn shot(&self, name: &str) {
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
