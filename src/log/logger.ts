import { Writable } from 'node:stream';
import winston from 'winston';
import { LineOutput } from './line-output.ts';
import { mayBeSecret, redact, redactText } from './redact.ts';

export type LogLevel = 'error' | 'warn' | 'info' | 'debug';
export type LogFields = Readonly<Record<string, unknown>>;

/** The logger of the whole service. Fields are redacted before they are written. */
export type Logger = { readonly [level in LogLevel]: (message: string, fields?: LogFields) => void } & {
  /**
   * Writes a line of level `info`, whose fields are plain data under names that name no secret, for a third of the price, at the end of this turn of the event
   * loop. Undefined where there is no such way.
   *
   * @returns when it is written.
   */
  readonly plain?: ((message: string, fields: LogFields) => Promise<void>) | undefined;
};

export type LoggerOptions = {
  readonly level: LogLevel | 'silent';
  readonly format: 'json' | 'text';
  /** The worker that writes the lines, as a field of each; undefined without workers. */
  readonly worker?: number;
  /** Where lines go; standard error by default. */
  readonly stream?: NodeJS.WritableStream;
};

/**
 * Writes one line per event: JSON for machines, or `time level message {fields}` for people. In the text for people, the stack of an error without a code follows
 * on lines of its own. An error with a code is a state of the disk, the network or another service, about which a stack says nothing.
 */
export function createLogger(options: LoggerOptions): Logger {
  const output = new LineOutput(options.stream ?? process.stderr);
  const always = options.worker === undefined ? {} : { worker: options.worker };
  const line = winston.format.printf(({ level, message, timestamp, fields }) => {
    const clean = redact({ ...always, ...(fields as LogFields | undefined) }) as Record<string, unknown>;
    const text = redactText(String(message));
    if (options.format === 'json')
      return onOneLine(JSON.stringify({ time: timestamp, level, message: text, ...clean }));
    const frames: string[] = [];
    const rest = Object.keys(clean).length === 0 ? '' : ` ${JSON.stringify(clean, withoutStacks(frames))}`;
    return [`${String(timestamp)} ${level.padEnd(5)} ${onOneLine(text + rest)}`, ...frames].join('\n');
  });
  const isSilent = options.level === 'silent';
  const logger = winston.createLogger({
    level: isSilent ? 'error' : options.level,
    format: winston.format.combine(winston.format.timestamp(), line),
    transports: [new winston.transports.Stream({ stream: writableOf(output) })],
  });
  const isLogged = (level: LogLevel) => !isSilent && logger.isLevelEnabled(level);
  // Winston makes the text of a line before it looks at its level.
  const at = (level: LogLevel) =>
    isLogged(level)
      ? (message: string, fields?: LogFields) => void logger.log({ level, message, fields })
      : () => undefined;
  const plain = (message: string, fields: LogFields): Promise<void> => {
    const text = onOneLine(
      JSON.stringify({ time: new Date().toISOString(), level: 'info', message, ...always, ...fields }),
    );
    if (!mayBeSecret(text)) return output.writeSoon(`${text}\n`);
    logger.log({ level: 'info', message, fields });
    return Promise.resolve();
  };
  return {
    error: at('error'),
    warn: at('warn'),
    info: at('info'),
    debug: at('debug'),
    plain: options.format === 'json' && isLogged('info') ? plain : undefined,
  };
}

function writableOf(output: LineOutput): Writable {
  return new Writable({
    decodeStrings: false,
    write: (text: string, _encoding, done) => {
      output.write(text);
      done();
    },
  });
}

const STACK_FRAME = /^\s+at /;

/** A replacer for JSON that leaves out the stacks of errors, and collects those of errors without a code. */
function withoutStacks(frames: string[]): (this: unknown, name: string, value: unknown) => unknown {
  return function (name, value) {
    if (name !== 'stack' || typeof value !== 'string') return value;
    if (!('code' in (this as object)))
      frames.push(
        ...value
          .split('\n')
          .filter((line) => STACK_FRAME.test(line))
          .map(onOneLine),
      );
    return undefined;
  };
}

/**
 * Escapes control characters. Messages and fields contain names of people and keys, which must not begin a new line, control the terminal or change the
 * direction of text.
 */
function onOneLine(text: string): string {
  return text.replace(
    /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
