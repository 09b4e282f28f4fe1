/** Loaded into the service before it starts: tells whoever started it, when asked, how long the event loop stood still at most since the last time. */
import { monitorEventLoopDelay } from 'node:perf_hooks';

/** What stood still just now is counted when the next timer comes. */
const COUNTED_MS = 5;

const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();
process.on('message', () => {
  setTimeout(() => {
    process.send?.(delay.max / 1e6);
    delay.reset();
  }, COUNTED_MS);
});
process.channel?.unref();
