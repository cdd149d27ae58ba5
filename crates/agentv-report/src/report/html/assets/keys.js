// Keyboard shortcuts and the colour scheme.

const KEYS = [
  [["j", "↓"], "next trial"], [["k", "↑"], "previous trial"], [["Home", "End"], "first and last trial"],
  [["Page Up", "Page Down"], "ten trials forward or back"], [["Enter"], "open the trial"], [["Esc"], "close the dialog"],
  [["/"], "search"], [["t"], "switch between light and dark"], [["?"], "show these shortcuts"],
];

const STEPS = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1, PageDown: 10, PageUp: -10, Home: -Infinity, End: Infinity };

function listenToKeys(app) {
  byId("show-keys").addEventListener("click", () => showKeys(app.keys));
  byId("theme").addEventListener("click", changeTheme);
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (isTyping(event.target)) return typed(app, event);
    if (byId("keys").open) return;
    const action = actionOf(app, event);
    if (!action) return;
    event.preventDefault();
    action();
  });
}

function isTyping(element) {
  return ["INPUT", "SELECT", "TEXTAREA"].includes(element.tagName);
}

/** In a field, Enter and Escape lead back to the list. */
function typed(app, event) {
  if (event.target.id !== "text" || !["Enter", "Escape", "ArrowDown"].includes(event.key)) return;
  event.preventDefault();
  byId("list").focus({ preventScroll: true });
  app.list.choose(Math.max(0, app.list.at));
}

function actionOf(app, event) {
  const { key } = event;
  const isOpen = byId("case").open;
  if (key === "?") return () => showKeys(app.keys);
  if (key === "t") return changeTheme;
  if (isOpen) {
    if (key === "j" || key === "k") return () => app.step(STEPS[key]);
    return undefined;
  }
  const onControl = ["BUTTON", "SUMMARY", "A"].includes(event.target.tagName);
  if (key === "/") return () => byId("text").focus();
  if (key === "Enter" && !onControl && app.list.at >= 0) return () => app.openAt(app.list.at);
  if (key in STEPS) return () => move(app, STEPS[key]);
  return app.ownAction?.(key);
}

function move(app, by) {
  byId("list").focus({ preventScroll: true });
  const last = app.found.length - 1;
  app.list.choose(Math.max(0, Math.min(last, app.list.at + by)));
}

function showKeys(keys = KEYS) {
  const box = byId("keys");
  const names = (keys) => keys.flatMap((key, at) => (at === 0 ? [make("kbd", { text: key })] : [" ", make("kbd", { text: key })]));
  box.replaceChildren(
    make("h2", { id: "keys-title", text: "Keyboard shortcuts" }),
    make("dl", {}, ...keys.flatMap(([keys, words]) => [make("dt", {}, ...names(keys)), make("dd", { text: words })])),
    make("button", { type: "button", class: "chip", text: "Close", click: () => box.close() }));
  if (!box.open) box.showModal();
}

function changeTheme() {
  const chosen = document.documentElement.dataset.theme;
  const isDark = chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  document.documentElement.dataset.theme = isDark ? "light" : "dark";
  try {
    sessionStorage.setItem("agentv-theme", document.documentElement.dataset.theme);
  } catch {
    // A local file may have no storage: the choice lasts as long as the page.
  }
}

function recallTheme() {
  try {
    const theme = sessionStorage.getItem("agentv-theme");
    if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
  } catch {
    // The system decides.
  }
}
