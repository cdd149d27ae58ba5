// The source of the page of runs if it is a file: one block has everything.

const SITE = {
  isLive: false,
  async runs() {
    this.known = JSON.parse(await unpack(packedBlocks("runs")[0]));
    return this.known;
  },
  /** Returns the address of a run's page, if there is one. */
  run(id) {
    return this.known?.runs.find((run) => run.id === id)?.page;
  },
  /** Returns the address of the comparison of a run with the one before it, if there is one. */
  before(id) {
    return this.known?.runs.find((run) => run.id === id)?.before;
  },
  compare() {
    return undefined;
  },
};
