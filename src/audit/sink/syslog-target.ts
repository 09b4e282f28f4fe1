import { connect as connectPlain, isIP, type Socket } from 'node:net';
import { hostname } from 'node:os';
import { connect as connectTls } from 'node:tls';
import { lookup } from '../../bounds/lookup.ts';
import { timeOf } from '../chain-walk.ts';
import type { SyslogTargetOptions } from './sink-options.ts';
import type { LineRange, Target } from './target.ts';

const SHORTEST_PAUSE_MS = 50;
const INFORMATIONAL = 6;
const NOTICE = 5;
const KIND = /"kind":"(\w{1,32})"/;
const REFUSED = /"outcome":"(?:denied|failed|partly)"/;

/**
 * Sends each line as a syslog message (RFC 5424) preceded by its length, over TCP (RFC 6587 section 3.4.1) or TLS (RFC 5425).
 *
 * Syslog has no acknowledgements, so each batch gets its own connection: this side ends it, and a receiver that has read everything closes it too. A receiver
 * that died or was cut off resets the connection or has closed it before; the batch is then sent again.
 */
export class SyslogTarget implements Target {
  readonly #options: SyslogTargetOptions;
  readonly #timeoutMs: number;
  readonly #host = nameIn(hostname(), 255);

  constructor(options: SyslogTargetOptions, timeoutMs: number) {
    this.#options = options;
    this.#timeoutMs = timeoutMs;
  }

  async send(lines: readonly Buffer[], { instance }: LineRange): Promise<void> {
    const { host, port, tls } = this.#options;
    const frames = Buffer.concat(
      lines.map((line) =>
        frameOf(
          messageOf(line, { facility: this.#options.facility, host: this.#host, instance: nameIn(instance, 128) }),
        ),
      ),
    );
    const place = { host, port, lookup, allowHalfOpen: true };
    const socket =
      tls === undefined
        ? connectPlain(place)
        : connectTls({
            ...place,
            ...(isIP(host) === 0 && { servername: host }),
            ...(tls.ca !== undefined && { ca: [...tls.ca] }),
            ...(tls.cert !== undefined && { cert: tls.cert }),
            ...(tls.key !== undefined && { key: tls.key }),
          });
    const overdue = setTimeout(
      () =>
        socket.destroy(
          new Error(
            `the receiver has not read everything within ${this.#timeoutMs} ms, or does not close the connection then`,
          ),
        ),
      this.#timeoutMs,
    );
    try {
      await readToTheEnd(socket, tls === undefined ? 'connect' : 'secureConnect', frames);
    } finally {
      clearTimeout(overdue);
      socket.destroy();
    }
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

/** Resolves when the other side has ended the connection after this side did. */
function readToTheEnd(socket: Socket, ready: 'connect' | 'secureConnect', bytes: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    const since = performance.now();
    let hasEnded = false;
    let end: NodeJS.Timeout | undefined;
    socket.once(ready, () => {
      // If the receiver closed the connection before it could read, this side learns of it within one round trip, which connecting also took.
      const pauseMs = Math.max(SHORTEST_PAUSE_MS, 2 * (performance.now() - since));
      socket.write(bytes, () => {
        end = setTimeout(() => {
          hasEnded = true;
          socket.end();
        }, pauseMs);
      });
    });
    socket.once('end', () => {
      if (hasEnded) resolve();
      else reject(new Error('the receiver closed the connection before it had everything'));
    });
    socket.once('error', reject);
    socket.once('close', () => {
      clearTimeout(end);
      reject(new Error('the connection was cut'));
    });
    // The receiver's data is not needed, but unread data would hide the end of the connection.
    socket.resume();
  });
}

function frameOf(message: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${message.length} `), message]);
}

/** The text of the message is the unchanged line, so that the recipient can compare its hash with the next line. */
export function messageOf(
  line: Buffer,
  { facility, host, instance }: { readonly facility: number; readonly host: string; readonly instance: string },
): Buffer {
  const text = line.toString('latin1');
  const severity = REFUSED.test(text) ? NOTICE : INFORMATIONAL;
  return Buffer.concat([
    Buffer.from(
      `<${facility * 8 + severity}>1 ${timeOf(line) ?? '-'} ${host} svc ${instance} ${KIND.exec(text)?.[1] ?? '-'} - `,
    ),
    line,
  ]);
}

/** Reduces a name to printable ASCII and a maximum length (RFC 5424 section 6). */
function nameIn(text: string, length: number): string {
  return text.replace(/[^\x21-\x7e]/g, '_').slice(0, length) || '-';
}
