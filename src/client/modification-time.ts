import { isTransient } from '../transfer/failure.ts';
import { withRetries } from '../transfer/retry.ts';
import { headerOf, type Connection } from './connection.ts';
import { beginTransfer, type TransferAnswer, type VersionTarget } from './transfer-request.ts';

/** The metadata in which an object keeps the modification time of its file: seconds since the epoch, with up to nine decimals. rclone reads and writes it too. */
export const MTIME = 'x-amz-meta-mtime';

/** `isKept`: it is the time of a file, and not the one at which the object was written. */
export type ObjectTime = { /** Since the epoch. */ readonly ms: number; readonly isKept: boolean };

/** The modification time of a file, as an object keeps it. @param mtimeNs - nanoseconds since the epoch. */
export function mtimeText(mtimeNs: bigint): string {
  const digits = String(mtimeNs < 0n ? -mtimeNs : mtimeNs).padStart(10, '0');
  const whole = `${mtimeNs < 0n ? '-' : ''}${digits.slice(0, -9)}`;
  const rest = digits.slice(-9).replace(/0+$/, '');
  return rest === '' ? whole : `${whole}.${rest}`;
}

/** The modification time that the answer with an object, or about it, tells. */
export function timeIn(response: Pick<TransferAnswer, 'headers'>): ObjectTime | undefined {
  const kept = headerOf(response, MTIME);
  if (/^-?\d{1,11}(?:\.\d{1,9})?$/.test(kept)) return { ms: Number(kept) * 1000, isKept: true };
  const ms = Date.parse(headerOf(response, 'last-modified'));
  return Number.isNaN(ms) ? undefined : { ms, isKept: false };
}

/**
 * The modification time that an object keeps, otherwise the time at which it was written.
 *
 * @returns undefined when the caller may not read the object, or when it is gone.
 * @throws a failure that may pass, after some tries.
 */
export async function objectTime(connection: Connection, object: VersionTarget): Promise<ObjectTime | undefined> {
  try {
    const response = await withRetries(
      () => beginTransfer(connection, 'download', object, { headers: {}, headersOnly: true }),
      connection,
    );
    response.body.destroy();
    return timeIn(response);
  } catch (thrown) {
    if (isTransient(thrown)) throw thrown;
    return undefined;
  }
}
