import { once } from 'node:events';
import http from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { providerAt, startBed } from './bed.ts';
import { atMost, exactly, type Figure } from './figure.ts';
import { startStubProcess } from './stub-process.ts';

const OBJECT_BYTES = 5 * 2 ** 30;
const READERS = 50;
const PAUSE_MS = 100;
const READING_MS = 35_000;

/** One object of 5 GiB to many readers who take a chunk at a time; every fifth takes one and then none. The storage is a stub. */
export async function slowReaders(): Promise<Figure[]> {
  const stub = await startStubProcess();
  const bed = await startBed({ providers: [providerAt('stub', stub.url)] });
  try {
    const headers = await bed.signIn('ada');
    const object = (bytes: number) => `${bed.origin}/api/providers/stub/buckets/files/object?key=${bytes}`;
    // What a first download loads stays for good.
    for (let i = 0; i < 20; i += 1) await (await fetch(object(8 * 2 ** 20), { headers })).arrayBuffer();
    const readers: Reader[] = [];
    const growth = await bed.service.growthDuring(async () => {
      for (let i = 0; i < READERS; i += 1) readers.push(await Reader.start(object(OBJECT_BYTES), headers, i % 5 === 0));
      await wait(READING_MS);
    });
    const whole = readers.filter(({ announced, isReading }) => announced === OBJECT_BYTES && isReading).length;
    const moved = readers.reduce((sum, { bytes }) => sum + bytes, 0);
    for (const reader of readers) reader.stop();
    return [
      exactly(`readers who still read after ${READING_MS / 1000} s`, whole, READERS),
      atMost(`memory grew, with ${(moved / 1e6).toFixed(0)} MB read, by`, growth, 200, 'MB'),
    ];
  } finally {
    await bed.close();
    stub.close();
  }
}

class Reader {
  bytes = 0;
  readonly announced: number;
  readonly #answer: http.IncomingMessage;

  private constructor(answer: http.IncomingMessage, stalls: boolean) {
    this.#answer = answer;
    this.announced = Number(answer.headers['content-length']);
    answer.on('error', () => undefined);
    answer.on('data', (chunk: Buffer) => {
      this.bytes += chunk.length;
      answer.pause();
      if (!stalls) setTimeout(() => answer.resume(), PAUSE_MS);
    });
  }

  static async start(url: string, headers: http.OutgoingHttpHeaders, stalls: boolean): Promise<Reader> {
    const req = http.get(url, { headers, agent: false });
    const [answer] = (await once(req, 'response')) as [http.IncomingMessage];
    return new Reader(answer, stalls);
  }

  get isReading(): boolean {
    return this.bytes > 0 && !this.#answer.destroyed && !this.#answer.readableEnded;
  }

  stop(): void {
    this.#answer.destroy();
  }
}
