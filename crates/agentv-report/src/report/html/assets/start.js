// Reads the blocks and builds the page.

async function readRuns() {
  const [packedFacts] = packedBlocks("facts");
  const read = async (block) => JSON.parse(await unpack(block));
  const facts = await read(packedFacts);
  notePassThresholds(facts.runs);
  const evaluators = new Evaluators();
  const runs = facts.runs.map((run) => new Trials(run.shown));
  const details = packedBlocks("details");
  for (const part of await Promise.all(packedBlocks("rows").map(read))) {
    runs[part.run].add(part, details, evaluators);
  }
  return new App(new PackedSource(facts, runs, evaluators));
}

async function start() {
  recallTheme();
  if (typeof DecompressionStream === "undefined") {
    byId("progress").textContent = "This browser is too old to unpack the report: it needs DecompressionStream, available in browsers since 2023.";
    return;
  }
  try {
    const app = await readRuns();
    app.start();
  } catch (error) {
    byId("progress").textContent = `The report cannot be read: ${error.message}`;
    throw error;
  }
}

start();
