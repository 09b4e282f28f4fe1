import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Bytes that this process holds, without what nobody refers to. */
export function heldBytes(): number {
  collectGarbage();
  // The bytes of buffers are freed in the background, and counted as freed by the next collection.
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
