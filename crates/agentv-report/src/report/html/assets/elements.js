// Elements. Foreign texts reach the page only through here, and only as text.

/** Makes an element: `options` are attributes, `class`, `text`, and listeners as functions. */
function make(tag, options, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(options ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name === "text") element.textContent = value;
    else if (name === "class") element.className = value;
    else if (typeof value === "function") element.addEventListener(name, value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== undefined && child !== null));
  return element;
}

function byId(id) {
  return document.getElementById(id);
}

/** Returns a foreign text, whose direction of writing cannot leak out of it. */
function theirs(text, kind) {
  return make("span", { class: kind ? `theirs ${kind}` : "theirs", text });
}

/** Returns a text that only a screen reader says. */
function unseen(text) {
  return make("span", { class: "unseen", text });
}

function badge(status) {
  return make("span", { class: `badge ${status.replace(" ", "-")}`, text: status });
}

/** Shows the statuses of repeated trials as dots. */
function repeatDots(trials, total = trials.length, passed = trials.filter((one) => one.status === "pass").length) {
  const dots = trials.slice(0, 12).map((one) => make("i", { class: one.status }));
  return make("div", { class: "repeats", title: `${count(passed)} of ${counted(total, "trial")} passed` },
    ...dots, make("span", { text: `${count(passed)} of ${count(total)}` }));
}

/** Returns a score with a bar, in the colour of its status. */
function meter(score, kind, shown) {
  const bar = make("i", { "aria-hidden": "true" });
  if (!Number.isNaN(score)) {
    const filled = make("span", { class: kind });
    filled.style.width = `${Math.round(score * 100)}%`;
    bar.append(filled);
  }
  return make("span", { class: "meter number" }, bar, make("span", { text: shown }));
}

/**
 * Returns a table; a column is `[heading, cell, isNumber]`, and `cell` returns a text or an element. A wide one can be
 * scrolled with the keyboard.
 */
function table(rows, columns, isWide) {
  const kind = (column) => (column[2] ? "number" : undefined);
  const heading = (column) => make("th", { class: kind(column), scope: "col", text: column[0] });
  const cell = (row, column) => {
    const content = column[1](row);
    const isElement = content instanceof Node;
    return make("td", { class: kind(column), text: isElement ? undefined : content }, isElement ? content : undefined);
  };
  return make(
    "div", { class: "scroll", tabindex: rows.length > 8 || isWide ? "0" : undefined },
    make("table", {},
      make("thead", {}, make("tr", {}, ...columns.map(heading))),
      make("tbody", {}, ...rows.map((row) => make("tr", {}, ...columns.map((column) => cell(row, column)))))),
  );
}

/** Returns names and values; a value is a text or an element, and pairs without one are omitted. */
function facts(entries) {
  const list = make("dl", { class: "facts" });
  for (const [name, value] of entries) {
    if (value === undefined || value === null || value === "") continue;
    const isElement = value instanceof Node;
    list.append(
      make("dt", { text: name }),
      make("dd", { text: isElement ? undefined : value, class: "theirs number-like" }, isElement ? value : undefined),
    );
  }
  return list;
}

function listOf(value) {
  return Array.isArray(value) ? value : [];
}
