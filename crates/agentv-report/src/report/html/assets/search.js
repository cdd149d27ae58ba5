// The text filter: the texts of the list at once, then everything in the page, bit by bit.

class Search {
  constructor(items, changed) {
    this.items = items;
    this.changed = changed;
    this.text = "";
    this.turn = 0;
    this.share = 1;
    this.found = new Uint8Array(items.length);
  }

  /** Starts a search for another text; `changed` is called when more was found. */
  look(text) {
    const wanted = text.trim().toLowerCase();
    if (wanted === this.text) return;
    this.text = wanted;
    this.turn += 1;
    this.share = 1;
    this.found.fill(0);
    if (wanted === "") return;
    for (let item = 0; item < this.items.length; item += 1) {
      this.found[item] = this.items.places(item).some(([trials, row]) => trials.wordsOf(row).includes(wanted)) ? 1 : 0;
    }
    this.lookDeeper(wanted, this.turn);
  }

  async lookDeeper(wanted, turn) {
    const blocks = new Map();
    for (let item = 0; item < this.items.length; item += 1) {
      if (this.found[item]) continue;
      for (const [trials, row] of this.items.places(item)) {
        const block = trials.block[row];
        if (!blocks.has(block)) blocks.set(block, []);
        blocks.get(block).push([item, trials.line[row]]);
      }
    }
    let done = 0;
    let told = performance.now();
    this.share = blocks.size === 0 ? 1 : 0;
    for (const [block, places] of blocks) {
      const lines = (await unpack(block)).split("\n");
      if (turn !== this.turn) return;
      for (const [item, line] of places) {
        if (!this.found[item] && lineHas(lines[line], wanted)) this.found[item] = 1;
      }
      done += 1;
      this.share = done / blocks.size;
      if (performance.now() - told > 250 || this.share === 1) {
        this.changed();
        await new Promise((resume) => setTimeout(resume));
        if (turn !== this.turn) return;
        told = performance.now();
      }
    }
  }
}

/** Checks if a text in the record on a line matches; names of fields do not count. */
function lineHas(line, wanted) {
  const asWritten = JSON.stringify(wanted).slice(1, -1);
  if (!line.toLowerCase().includes(asWritten) && !line.includes("\\u")) return false;
  const has = (value) => {
    if (typeof value === "string") return value.toLowerCase().includes(wanted);
    if (typeof value === "object" && value !== null) return Object.values(value).some(has);
    return false;
  };
  return has(JSON.parse(line));
}
