// Builds the page of runs.

async function startRuns() {
  recallTheme();
  try {
    await new RunsPage().start();
  } catch (error) {
    byId("progress").hidden = false;
    byId("progress").textContent = `This page cannot be shown: ${error.message}`;
  }
}

startRuns();
