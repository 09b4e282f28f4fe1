/**
 * Loaded into the service before it starts: tells whoever started it, when asked, what one turn of the event loop cost at most since the
 * last time, in milliseconds of its thread. A busy machine makes turns longer, and not more costly.
 */

const spent = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};

let before = spent();
let most = 0;

/** A timer comes once in each turn. */
function count(): void {
  const now = spent();
  most = Math.max(most, now - before);
  before = now;
}

setInterval(count, 1).unref();
process.on('message', () => {
  // What the present turn costs is counted in the next one.
  setTimeout(() => {
    count();
    process.send?.(most);
    most = 0;
  }, 5);
});
process.channel?.unref();
