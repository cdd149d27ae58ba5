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

async function unpack(element) {
  const packed = new Blob([bytesOf(element)]).stream();
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
