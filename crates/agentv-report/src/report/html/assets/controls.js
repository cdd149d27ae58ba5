// The filter's controls, and the headings that sort.

/** The largest number of choices in a list. */
const MOST_CHOICES = 1000;

/** Shows the columns that are not hidden. */
function showColumns(app) {
  const { hidden } = app.filter;
  for (const [name] of COLUMNS) document.body.classList.toggle(`no-${name}`, hidden.has(name));
  const widths = [["", "92px"], ["", "minmax(0, 1fr)"], ["target", "minmax(80px, 150px)"], ["score", "116px"], ...(app.source.two ? [["", "132px"]] : []), ["ms", "84px"], ["cost", "84px"]];
  document.body.style.setProperty("--cells", widths.filter(([name]) => !hidden.has(name)).map(([, width]) => width).join(" "));
}

class Controls {
  constructor(app) {
    this.app = app;
    this.fields = {};
    this.chips = new Map();
    this.columns = new Map();
    byId("controls").replaceChildren(...this.parts().filter(Boolean));
    byId("columns").replaceChildren(this.headings());
  }

  parts() {
    const { app } = this;
    const { names, two } = app.source;
    const chips = make("div", { class: "chips", role: "group", "aria-label": "Status" }, ...STATUSES.map((status) => this.chip(status)));
    this.count = make("span", { role: "status", "aria-live": "polite" });
    this.progress = make("span", {});
    this.clear = make("button", { type: "button", text: "Clear filter", click: () => app.narrow(emptyFilter(), true) });
    return [
      this.search(), chips,
      this.choice("change", "Changes", CHANGES.map(([name, words]) => [name, words]), !two),
      this.choice("evaluator", "Evaluator", names.evaluator),
      this.choice("said", "Verdict", SAID, names.evaluator.length === 0),
      this.choice("target", "Target", names.target),
      this.choice("file", "File", names.file),
      this.choice("dataset", "Dataset", names.dataset),
      this.choice("tool", "Tool used", names.tool),
      this.range(),
      this.chooser(),
      make("div", { class: "count" }, this.count, this.progress, this.clear),
    ];
  }

  search() {
    const change = (event) => {
      clearTimeout(this.typing);
      const text = event.target.value;
      this.typing = setTimeout(() => {
        this.typing = undefined;
        this.app.narrow({ text });
      }, 120);
      this.tellBusy();
    };
    this.fields.text = make("input", {
      type: "search", id: "text", placeholder: "Search ids, questions, answers, reasons …  ( / )",
      "aria-label": "Search everything", autocomplete: "off", spellcheck: "false", input: change,
    });
    return this.fields.text;
  }

  chip(status) {
    const toggle = () => {
      const statuses = new Set(this.app.filter.statuses);
      if (!statuses.delete(status)) statuses.add(status);
      this.app.narrow({ statuses });
    };
    const number = make("small", {});
    const chip = make("button", { type: "button", class: `chip ${status}`, "aria-pressed": "false", click: toggle },
      make("span", { class: "dot", "aria-hidden": "true" }), make("span", { text: status }), number);
    this.chips.set(status, { chip, number });
    return chip;
  }

  /** Returns a list to choose from, or nothing if there is no choice. */
  choice(name, label, values, isLeftOut) {
    if (isLeftOut || (values.length < 2 && name !== "evaluator" && name !== "tool") || values.length === 0) return undefined;
    const pairs = values.slice(0, MOST_CHOICES).map((value) => (Array.isArray(value) ? value : [value, value]));
    const field = make("select", { id: `filter-${name}`, "aria-label": label, change: () => this.app.narrow({ [name]: field.value }) },
      make("option", { value: "", text: `${label}: any` }),
      ...pairs.map(([value, words]) => make("option", { value, text: clipped(words) })));
    this.fields[name] = field;
    return field;
  }

  range() {
    const bound = (name, label) => {
      const field = make("input", {
        type: "number", min: "0", max: "1", step: "0.05", id: `filter-${name}`, "aria-label": label,
        placeholder: name === "least" ? "0" : "1", input: () => this.app.narrow({ [name]: field.value }),
      });
      this.fields[name] = field;
      return field;
    };
    return make("span", { class: "range" }, "Score", bound("least", "Lowest score"), "to", bound("most", "Highest score"));
  }

  headings() {
    const sort = (name, label, isNumber) => {
      const button = make("button", { type: "button", "data-sort": name, "aria-pressed": "false", click: () => this.sorted(name) }, label);
      return make("div", { class: isNumber ? "number" : undefined }, button);
    };
    const named = (name, element) => {
      element.classList.add(`of-${name}`);
      return element;
    };
    return make("div", { class: "cells" },
      make("div", { text: "Status" }), sort("id", "Case"), named("target", make("div", { text: "Target" })), named("score", sort("score", "Score", true)),
      this.app.source.two ? sort("delta", "Change", true) : undefined,
      named("ms", sort("ms", "Latency", true)), named("cost", sort("cost", "Cost", true)));
  }

  /** Returns the choice of columns. */
  chooser() {
    const box = (name, label) => {
      const field = make("input", { type: "checkbox", id: `column-${name}`, change: () => this.app.hide(name, !field.checked) });
      this.columns.set(name, field);
      return make("label", { class: "line" }, field, label);
    };
    return make("details", { class: "chooser" }, make("summary", { text: "Columns" }),
      make("div", { class: "choices", role: "group", "aria-label": "Columns" }, ...COLUMNS.map(([name, label]) => box(name, label))));
  }

  /** Sorts ascending, then descending, then in the order in which trials ended. */
  sorted(name) {
    const { filter } = this.app;
    if (filter.sort !== name) this.app.narrow({ sort: name, descending: false });
    else if (!filter.descending) this.app.narrow({ descending: true });
    else this.app.narrow({ sort: "", descending: false });
  }

  /** Shows the filter. */
  reflect() {
    const { app } = this;
    for (const [name, field] of Object.entries(this.fields)) {
      const value = app.filter[name];
      // Text that is being typed is not in the filter yet, and stays.
      if (field.value === value || (name === "text" && this.typing !== undefined)) continue;
      if (field.tagName === "SELECT" && ![...field.options].some((option) => option.value === value)) {
        field.append(make("option", { value, text: clipped(value) }));
      }
      field.value = value;
    }
    const counts = app.found.statuses;
    STATUSES.forEach((status, at) => {
      const { chip, number } = this.chips.get(status);
      chip.setAttribute("aria-pressed", String(app.filter.statuses.has(status)));
      number.textContent = count(counts[at]);
      // In a run in progress, a status may come at any time, and nothing should move then.
      chip.hidden = counts[at] === 0 && !app.filter.statuses.has(status) && !app.source.isRunning;
    });
    for (const button of document.querySelectorAll("#columns [data-sort]")) this.reflectSort(button);
    this.columns.forEach((field, name) => {
      field.checked = !app.filter.hidden.has(name);
    });
    showColumns(app);
    this.tell();
  }

  reflectSort(button) {
    const { filter } = this.app;
    const isOn = button.dataset.sort === filter.sort;
    button.setAttribute("aria-pressed", String(isOn));
    const label = button.textContent.replace(/ [↑↓]$/, "");
    button.textContent = isOn ? `${label} ${filter.descending ? "↓" : "↑"}` : label;
  }

  tell() {
    const { app } = this;
    const { length, total } = app.found;
    const { unit } = app.source;
    this.count.textContent = length === total ? counted(total, unit) : `${count(length)} of ${counted(total, unit)}`;
    const { share } = app.source;
    this.progress.textContent = share < 1 ? `searching answers and details … ${Math.floor(share * 100)}%` : app.found.note ?? "";
    this.clear.hidden = addressOf({ ...app.filter, sort: "", hidden: new Set() }) === "";
    this.tellBusy();
  }

  /** Marks the list while a search that was asked for is not complete. */
  tellBusy() {
    byId("list").setAttribute("aria-busy", String(this.typing !== undefined || this.app.source.share < 1));
  }
}
