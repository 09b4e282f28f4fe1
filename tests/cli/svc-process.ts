import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { builtProgram } from '../support/built-program.ts';
import { finishDesktopSignIn } from './desktop-sign-in.ts';

export type Ended = { readonly status: number | null; readonly stdout: string; readonly stderr: string };
export type Started = {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  readonly stdoutHas: (pattern: RegExp) => Promise<RegExpExecArray>;
  readonly stderrHas: (pattern: RegExp) => Promise<RegExpExecArray>;
};

let program: Promise<string> | undefined;

/** Someone's machine: a home of its own, without a keyring and without a browser. */
export class Machine {
  readonly home: string;
  readonly env: Record<string, string>;
  readonly #program: string;

  private constructor(home: string, program: string) {
    this.home = home;
    this.#program = program;
    const { PATH = '', NODE_COMPILE_CACHE = '' } = process.env;
    this.env = { PATH, NODE_COMPILE_CACHE, HOME: home, XDG_CONFIG_HOME: join(home, 'config'), SVC_KEYRING: 'off' };
  }

  static async make(): Promise<Machine> {
    program ??= builtProgram();
    return new Machine(await mkdtemp(join(tmpdir(), 'svc-cli-')), await program);
  }

  /** @param input - what standard input has. */
  start(args: readonly string[], env: Record<string, string> = {}, input = ''): Started {
    const child = spawn(process.execPath, [this.#program, ...args], {
      cwd: this.home,
      env: { ...this.env, ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    child.stdin.on('error', () => undefined).end(input);
    let [stdout, stderr] = ['', ''];
    const waiting = new Set<() => void>();
    const lookAgain = () => {
      for (const look of waiting) look();
    };
    child.stdout
      .setEncoding('utf8')
      .on('data', (text: string) => (stdout += text))
      .on('data', lookAgain);
    child.stderr
      .setEncoding('utf8')
      .on('data', (text: string) => (stderr += text))
      .on('data', lookAgain);
    const ended = new Promise<Ended>((resolve) => child.once('close', (status) => resolve({ status, stdout, stderr })));
    const has = (said: () => string) => (pattern: RegExp) =>
      new Promise<RegExpExecArray>((resolve, reject) => {
        const look = () => {
          const found = pattern.exec(said());
          if (found !== null) resolve(found);
        };
        waiting.add(look);
        look();
        void ended.then(() => reject(new Error(`ended without ${pattern.source}:\n${stdout}${stderr}`)));
      });
    return { child, ended, stdoutHas: has(() => stdout), stderrHas: has(() => stderr) };
  }

  /** The same on a terminal (util-linux `script`), which shows both outputs as one. @param typed - what the person types once `at` is to be seen and `after` has come about. */
  async onTerminal(
    args: readonly string[],
    typed: { readonly at: string; readonly text: string; readonly after?: () => Promise<void> } = {
      at: '[y/N]',
      text: '\n',
    },
  ): Promise<{ readonly status: number | null; readonly screen: string }> {
    const command = [process.execPath, this.#program, ...args]
      .map((word) => `'${word.replaceAll("'", "'\\''")}'`)
      .join(' ');
    const child = spawn('script', ['-qec', command, '/dev/null'], {
      cwd: this.home,
      env: { ...this.env, TERM: 'xterm', SHELL: '/bin/sh' },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    let screen = '';
    let isTyped = false;
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      screen += text;
      if (isTyped || !screen.includes(typed.at)) return;
      isTyped = true;
      void Promise.resolve(typed.after?.()).then(() => child.stdin.write(typed.text));
    });
    const status = await new Promise<number | null>((resolve) => child.once('close', resolve));
    return { status, screen };
  }

  async svc(...args: readonly string[]): Promise<Ended> {
    return this.start(args).ended;
  }

  /** `svc login`, with the browser's part done by a visitor. */
  async login(server: string, account: string): Promise<Ended> {
    const started = this.start(['login', '--no-browser', '--server', server]);
    const [url = ''] = await started.stderrHas(/http:\/\/\S+authorize\S+/);
    await finishDesktopSignIn(url, account);
    return started.ended;
  }

  async remove(): Promise<void> {
    await rm(this.home, { recursive: true, force: true });
  }
}
