import { connect as connectPlain, isIP, type Socket } from 'node:net';
import { hostname } from 'node:os';
import { connect as connectTls } from 'node:tls';
import { timeOf } from '../chain-walk.ts';
import type { SyslogTargetOptions } from './sink-options.ts';
import type { Sender, Target } from './target.ts';

const SHORTEST_PAUSE_MS = 50;
const INFORMATIONAL = 6;
const NOTICE = 5;
const KIND = /"kind":"(\w{1,32})"/;
const REFUSED = /"outcome":"(?:denied|failed|partly)"/;

/**
 * Sends each line as a syslog message (RFC 5424) with its length before it, over TCP (RFC 6587 section 3.4.1) or TLS (RFC 5425).
 *
 * Syslog acknowledges nothing. So each batch has a connection of its own: this side ends it, and a receiver that has read everything up to the end closes it, too.
 * One that has not, because it died or was cut off, resets it, or has closed it before, and the batch is sent again.
 */
export class SyslogTarget implements Target {
  readonly #options: SyslogTargetOptions;
  readonly #timeoutMs: number;
  readonly #host = nameIn(hostname(), 255);

  constructor(options: SyslogTargetOptions, timeoutMs: number) {
    this.#options = options;
    this.#timeoutMs = timeoutMs;
  }

  async send(lines: readonly Buffer[], { instance }: Sender): Promise<void> {
    const { host, port, tls } = this.#options;
    const frames = Buffer.concat(lines.map((line) => frameOf(messageOf(line, { facility: this.#options.facility, host: this.#host, instance: nameIn(instance, 128) }))));
    const place = { host, port, allowHalfOpen: true };
    const socket = tls === undefined ? connectPlain(place) : connectTls({ ...place, ...(isIP(host) === 0 && { servername: host }), ...(tls.ca !== undefined && { ca: [...tls.ca] }), ...(tls.cert !== undefined && { cert: tls.cert }), ...(tls.key !== undefined && { key: tls.key }) });
    const overdue = setTimeout(() => socket.destroy(new Error(`the receiver has not read everything within ${this.#timeoutMs} ms, or does not close the connection then`)), this.#timeoutMs);
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

/** Resolves when the other side has ended the connection after this one. */
function readToTheEnd(socket: Socket, ready: 'connect' | 'secureConnect', bytes: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    const since = performance.now();
    let hasEnded = false;
    let end: NodeJS.Timeout | undefined;
    socket.once(ready, () => {
      // Whoever had closed the connection before it could read is heard of within one way there and back, which connecting took, too.
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
    // What it says is not asked for, but keeps its end from being seen.
    socket.resume();
  });
}

function frameOf(message: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${message.length} `), message]);
}

/** The line as it stands in the file is the text of the message. Who has it can hold its hash against the next one. */
export function messageOf(line: Buffer, { facility, host, instance }: { readonly facility: number; readonly host: string; readonly instance: string }): Buffer {
  const text = line.toString('latin1');
  const severity = REFUSED.test(text) ? NOTICE : INFORMATIONAL;
  return Buffer.concat([Buffer.from(`<${facility * 8 + severity}>1 ${timeOf(line) ?? '-'} ${host} svc ${instance} ${KIND.exec(text)?.[1] ?? '-'} - `), line]);
}

/** Printable ASCII alone, and not too long (RFC 5424 section 6). */
function nameIn(text: string, length: number): string {
  return text.replace(/[^\x21-\x7e]/g, '_').slice(0, length) || '-';
}
