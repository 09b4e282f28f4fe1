/** The program of a worker that swaps a folder with a link, back and forth, as fast as it can: `workerData` is the folder, the link and a free path. */
export const SWAPPING = `
  const { renameSync } = require('node:fs');
  const { workerData: [folder, link, aside] } = require('node:worker_threads');
  for (;;) {
    renameSync(folder, aside);
    renameSync(link, folder);
    renameSync(folder, link);
    renameSync(aside, folder);
  }
`;
