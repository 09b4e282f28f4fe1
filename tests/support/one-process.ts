/** How many workers `startApp` gives the service; undefined: it runs in the process of the test. */
export const WORKERS =
  process.env['SVC_TEST_WORKERS'] === undefined ? undefined : Number(process.env['SVC_TEST_WORKERS']);

/** By this the reporters know a test that does not run with workers. */
export const ONE_PROCESS = 'skipped: needs the service in its own process';

/** Ends a test that does not run with workers. It counts as skipped, with the reason. */
export function needsOneProcess(reason: string): void {
  if (WORKERS !== undefined) throw new Error(`${ONE_PROCESS}: ${reason}`);
}
