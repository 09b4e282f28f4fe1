import { setImmediate as turn } from 'node:timers/promises';

let last: Promise<unknown> = Promise.resolve();

/** Waits for a turn of the event loop in which nobody else who waits here works: a large page of keys takes tens of milliseconds to parse, and as long to search. */
export function yieldToEventLoop(): Promise<unknown> {
  last = last.then(() => turn());
  return last;
}
