// The compressed blocks of the page.

/** The number of unpacked blocks of details that are kept. */
const KEPT_BLOCKS = 12;

const keptBlocks = new Map();

function packedBlocks(kind) {
  return [...document.querySelectorAll(`script[data-block="${kind}"]`)];
}

function bytesOf(element) {
  const text = element.textContent;
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const letters = atob(text);
  const bytes = new Uint8Array(letters.length);
  for (let at = 0; at < letters.length; at += 1) bytes[at] = letters.charCodeAt(at);
  return bytes;
}

/** Returns the stream of a block: in the page itself, or in a file beside it. */
async function packedStream(element) {
  const { file } = element.dataset;
  if (!file) return new Blob([bytesOf(element)]).stream();
  const response = await fetch(file).catch(() => undefined);
  if (!response?.ok) throw new Error(location.protocol === "file:" ? "this run is too large for a page without a web server" : `${file} cannot be read`);
  return response.body;
}

async function unpack(element) {
  const packed = await packedStream(element);
  return new Response(packed.pipeThrough(new DecompressionStream("gzip"))).text();
}

/** Returns the lines of a block of details, one per trial; the last few blocks are kept. */
async function detailLines(element) {
  const kept = keptBlocks.get(element);
  if (kept) {
    keptBlocks.delete(element);
    keptBlocks.set(element, kept);
    return kept;
  }
  const lines = (await unpack(element)).split("\n");
  keptBlocks.set(element, lines);
  if (keptBlocks.size > KEPT_BLOCKS) keptBlocks.delete(keptBlocks.keys().next().value);
  return lines;
}
