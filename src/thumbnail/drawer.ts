import { fork, type ChildProcess } from 'node:child_process';
import { Socket } from 'node:net';
import { extname, join } from 'node:path';
import type { Answer, Order } from './drawing.ts';

/** The program of a drawing process, in the same folder as this module both in the sources and in the build. */
const PROGRAM = join(import.meta.dirname, `drawing${extname(import.meta.filename)}`);
/** Milliseconds after which an idle process is ended. */
const IDLE_MS = 60_000;

/** @param program - path of the drawing program; by default `drawing` in this folder. */
export type DrawerOptions = { readonly timeoutMs: number; readonly program?: string };

/**
 * Draws pictures, one at a time, in a separate process.
 *
 * A process, unlike a thread, can be stopped in the middle of a picture, and a fault in a decoder ends only the process and not the service.
 */
export class Drawer {
  readonly #timeoutMs: number;
  readonly #program: string;
  #child: ChildProcess | undefined;
  #idle: NodeJS.Timeout | undefined;

  constructor({ timeoutMs, program = PROGRAM }: DrawerOptions) {
    this.#timeoutMs = timeoutMs;
    this.#program = program;
  }

  /** @throws {Error} The process ended, or took too long and was ended. */
  async draw(image: Buffer): Promise<Answer> {
    clearTimeout(this.#idle);
    const child = (this.#child ??= this.#start());
    try {
      return await answerOf(child, image, this.#timeoutMs);
    } catch (error) {
      this.close();
      throw error;
    } finally {
      this.#idle = setTimeout(() => this.close(), IDLE_MS).unref();
    }
  }

  close(): void {
    clearTimeout(this.#idle);
    this.#child?.kill('SIGKILL');
    this.#child = undefined;
  }

  #start(): ChildProcess {
    const child = fork(this.#program, {
      env: {},
      execArgv: [],
      serialization: 'advanced',
      stdio: ['pipe', 'ignore', 'ignore', 'ipc'],
    });
    child.once('exit', () => {
      if (this.#child === child) this.#child = undefined;
    });
    // The `exit` event rejects the pending request.
    child.on('error', () => undefined);
    child.stdin?.on('error', () => undefined);
    // An idle process does not keep the service from exiting.
    child.unref();
    child.channel?.unref();
    if (child.stdin instanceof Socket) child.stdin.unref();
    return child;
  }
}

function answerOf(child: ChildProcess, image: Buffer, timeoutMs: number): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const settle = (end: () => void) => {
      clearTimeout(timer);
      child.off('message', answered).off('exit', ended);
      end();
    };
    const answered = (answer: unknown) => settle(() => resolve(answer as Answer));
    const ended = () => settle(() => reject(new Error('the process that draws pictures has ended')));
    const timer = setTimeout(
      () => settle(() => reject(new Error(`a picture was not drawn in ${timeoutMs / 1000} s`))),
      timeoutMs,
    );
    child.once('message', answered).once('exit', ended);
    child.send({ bytes: image.length } satisfies Order, (error) => {
      if (error !== null) ended();
    });
    child.stdin?.write(image);
  });
}
