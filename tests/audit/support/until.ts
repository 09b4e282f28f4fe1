import { setTimeout as wait } from 'node:timers/promises';

const LOOK_MS = 20;

/** Waits until something holds. @throws when it takes too long. */
export async function until(holds: () => boolean | Promise<boolean>, what: string, ms = 20_000): Promise<void> {
  for (const end = performance.now() + ms; !(await holds());) {
    if (performance.now() > end) throw new Error(`not within ${ms} ms: ${what}`);
    await wait(LOOK_MS);
  }
}
