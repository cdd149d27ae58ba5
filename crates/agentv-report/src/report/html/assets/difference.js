// The difference between two texts, in bounded time.

/** The number of words above which lines are compared. */
const MOST_WORDS = 20000;
/** The number of changes above which texts have nothing in common worth showing. */
const MOST_CHANGES = 1500;
const MOST_MS = 400;

/** Returns the pieces of two texts: `[kind, text]` with the kinds `same`, `removed` and `added`. */
function difference(before, after) {
  let [old, fresh] = [wordsOf(before), wordsOf(after)];
  if (old.length + fresh.length > MOST_WORDS) [old, fresh] = [linesOf(before), linesOf(after)];
  let start = 0;
  while (start < old.length && start < fresh.length && old[start] === fresh[start]) start += 1;
  let end = 0;
  while (
    end < old.length - start && end < fresh.length - start &&
    old[old.length - 1 - end] === fresh[fresh.length - 1 - end]
  ) end += 1;
  const middle = changes(old.slice(start, old.length - end), fresh.slice(start, fresh.length - end));
  const same = (words) => [["same", words.join("")]];
  return joined([...same(old.slice(0, start)), ...middle, ...same(old.slice(old.length - end))]);
}

function wordsOf(text) {
  return text.match(/\s+|[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu) ?? [];
}

function linesOf(text) {
  return text.match(/[^\n]*\n|[^\n]+/g) ?? [];
}

/** Computes Myers' shortest edit; if it takes too long, everything is removed and added. */
function changes(old, fresh) {
  const whole = [["removed", old.join("")], ["added", fresh.join("")]];
  if (old.length === 0 || fresh.length === 0) return whole;
  const most = Math.min(old.length + fresh.length, MOST_CHANGES);
  const deadline = performance.now() + MOST_MS;
  const middle = most + 1;
  const furthest = new Int32Array(2 * most + 3);
  const steps = [];
  for (let edits = 0; edits <= most; edits += 1) {
    if (performance.now() > deadline) return whole;
    steps.push(furthest.slice(middle - edits - 1, middle + edits + 2));
    for (let line = -edits; line <= edits; line += 2) {
      const down = line === -edits || (line !== edits && furthest[middle + line - 1] < furthest[middle + line + 1]);
      let x = down ? furthest[middle + line + 1] : furthest[middle + line - 1] + 1;
      while (x < old.length && x - line < fresh.length && old[x] === fresh[x - line]) x += 1;
      furthest[middle + line] = x;
      if (x >= old.length && x - line >= fresh.length) return walked(old, fresh, steps);
    }
  }
  return whole;
}

/** Walks back through the steps, from the end to the beginning. */
function walked(old, fresh, steps) {
  const pieces = [];
  let [x, y] = [old.length, fresh.length];
  for (let edits = steps.length - 1; edits >= 0; edits -= 1) {
    const at = (line) => steps[edits][line + edits + 1];
    const line = x - y;
    const down = line === -edits || (line !== edits && at(line - 1) < at(line + 1));
    const before = edits === 0 ? 0 : down ? at(line + 1) : at(line - 1);
    const start = edits === 0 ? [0, 0] : [before, before - (down ? line + 1 : line - 1)];
    while (x > start[0] && y > start[1]) {
      x -= 1;
      y -= 1;
      pieces.push(["same", old[x]]);
    }
    if (edits > 0) pieces.push(down ? ["added", fresh[y - 1]] : ["removed", old[x - 1]]);
    [x, y] = start;
  }
  return pieces.reverse();
}

/** Joins neighbours of a kind; white space between two changes belongs to both. */
function joined(pieces) {
  const result = [];
  let [removed, added] = ["", ""];
  const flush = () => {
    if (removed !== "") result.push(["removed", removed]);
    if (added !== "") result.push(["added", added]);
    [removed, added] = ["", ""];
  };
  pieces.forEach(([kind, text], at) => {
    if (text === "") return;
    if (kind === "removed") removed += text;
    else if (kind === "added") added += text;
    else if (removed !== "" && added !== "" && text === " " && pieces[at + 1] && pieces[at + 1][0] !== "same") {
      removed += text;
      added += text;
    } else {
      flush();
      const last = result[result.length - 1];
      if (last && last[0] === "same") last[1] += text;
      else result.push(["same", text]);
    }
  });
  flush();
  return result;
}

/** Returns the pieces of these kinds and the unchanged ones, each changed one in the element of its kind. */
function markedPieces(pieces, kinds, tags) {
  const shown = pieces.filter(([kind]) => kind === "same" || kinds.includes(kind));
  return shown.map(([kind, text]) => (kind === "same" ? text : make(tags[kind], { text })));
}

/** Returns the difference as an element. */
function differenceElement(before, after) {
  const pieces = difference(...bothPretty(before, after));
  return make("div", { class: "text code difference" }, ...markedPieces(pieces, ["removed", "added"], { removed: "del", added: "ins" }));
}

/** Compares two JSON texts in indented form. */
function bothPretty(before, after) {
  try {
    const [old, fresh] = [JSON.parse(before), JSON.parse(after)];
    if (typeof old === "object" && typeof fresh === "object") {
      return [JSON.stringify(old, null, 2), JSON.stringify(fresh, null, 2)];
    }
  } catch {
    // It is plain text.
  }
  return [before, after];
}
