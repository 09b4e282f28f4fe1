import { parseArgs } from 'node:util';

export type DemoOptions = {
  /** Ports on loopback; 0 takes any free one. */
  readonly port: number;
  readonly idpPort: number;
  readonly s3Port: number;
  readonly archivePort: number;
};

export const DEFAULT_OPTIONS: DemoOptions = { port: 8080, idpPort: 9080, s3Port: 9081, archivePort: 9082 };

export const USAGE = `npm run demo -- [options]

Starts the service with an identity provider and two storage servers of its own, all on 127.0.0.1.

  --port N          the service (default ${DEFAULT_OPTIONS.port})
  --idp-port N      the identity provider (default ${DEFAULT_OPTIONS.idpPort})
  --s3-port N       the storage server \`main\` (default ${DEFAULT_OPTIONS.s3Port})
  --archive-port N  the storage server \`archive\` (default ${DEFAULT_OPTIONS.archivePort})
  --help            this text

0 takes any free port.`;

/** A command line that cannot be used; the message says what to change. */
export class BadOption extends Error {
  override readonly name = 'BadOption';
  readonly code = 'bad_option';
}

/**
 * Reads the command line.
 *
 * @returns undefined when the help text is asked for.
 * @throws {BadOption}
 */
export function parseOptions(argv: readonly string[]): DemoOptions | undefined {
  const values = parse(argv);
  if (values.help) return undefined;
  return {
    port: portOf('--port', values.port, DEFAULT_OPTIONS.port),
    idpPort: portOf('--idp-port', values['idp-port'], DEFAULT_OPTIONS.idpPort),
    s3Port: portOf('--s3-port', values['s3-port'], DEFAULT_OPTIONS.s3Port),
    archivePort: portOf('--archive-port', values['archive-port'], DEFAULT_OPTIONS.archivePort),
  };
}

function parse(argv: readonly string[]) {
  try {
    return parseArgs({
      args: [...argv],
      strict: true,
      options: {
        port: { type: 'string' },
        'idp-port': { type: 'string' },
        's3-port': { type: 'string' },
        'archive-port': { type: 'string' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    }).values;
  } catch (error) {
    throw new BadOption(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`);
  }
}

function portOf(option: string, text: string | undefined, fallback: number): number {
  if (text === undefined) return fallback;
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port > 65535)
    throw new BadOption(`${option}: \`${text}\` is not a port; give a number from 0 to 65535`);
  return port;
}
