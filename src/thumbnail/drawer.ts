import { fork, type ChildProcess } from 'node:child_process';
import { Socket } from 'node:net';
import { extname, join } from 'node:path';
import type { Answer, Order } from './drawing.ts';

/** The program stands beside this one, in the sources and in the build. */
const PROGRAM = join(import.meta.dirname, `drawing${extname(import.meta.filename)}`);
/** A process with nothing to do ends after this time. */
const IDLE_MS = 60_000;

/** @param program - the program of a drawing process, if it is not the one that stands beside this file. */
export type DrawerOptions = { readonly timeoutMs: number; readonly program?: string };

/**
 * Draws one picture at a time, in a process of its own.
 *
 * It is a process and no thread, because only a process can be stopped in the middle of a picture, and because a fault in a decoder ends it and not the service.
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

  /** @throws {Error} The process ended, or took too long; it is ended then. */
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
    const child = fork(this.#program, { env: {}, execArgv: [], serialization: 'advanced', stdio: ['pipe', 'ignore', 'ignore', 'ipc'] });
    child.once('exit', () => {
      if (this.#child === child) this.#child = undefined;
    });
    // Who waits is told by `exit`.
    child.on('error', () => undefined);
    child.stdin?.on('error', () => undefined);
    // A process that waits for work does not keep the service from ending.
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
    const timer = setTimeout(() => settle(() => reject(new Error(`a picture was not drawn in ${timeoutMs / 1000} s`))), timeoutMs);
    child.once('message', answered).once('exit', ended);
    child.send({ bytes: image.length } satisfies Order, (error) => {
      if (error !== null) ended();
    });
    child.stdin?.write(image);
  });
}
