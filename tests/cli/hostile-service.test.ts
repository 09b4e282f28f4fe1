import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Edge } from '../../src/cli/terminal/edge.ts';
import { linePrinter, messagePrinter } from '../../src/cli/terminal/printing.ts';
import { run } from '../../src/cli/run.ts';
import { rpcSchemas, type RpcMethodName } from '../../src/wire/rpc.ts';

const HOSTILE = 'a\u001b[2J\u009b31m\u202eb\rc\nFAKE';
const CONTROL = /[\p{Cc}\p{Bidi_Control}\u2028\u2029](?<!\n)/u;

type Schema = {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly additionalProperties?: Schema | boolean;
};

/** A value of the shape in which every text is hostile, and each key begins with the prefix. */
function hostile(
  { type, enum: choices, properties, items, anyOf, additionalProperties: others }: Schema,
  prefix: string,
  name = '',
): unknown {
  if (name === 'nextCursor') return null;
  if (choices !== undefined) return choices[0];
  if (anyOf !== undefined) return hostile(anyOf[0]!, prefix, name);
  const kind = typeof type === 'string' ? type : type?.[0];
  if (kind === 'array') return items === undefined ? [] : [hostile(items, prefix)];
  if (kind === 'integer' || kind === 'number') return 1;
  if (kind === 'boolean') return true;
  if (kind !== 'object') return name === 'key' ? prefix + HOSTILE : HOSTILE;
  const members = Object.entries(properties ?? {}).map(([member, schema]): [string, unknown] => [
    member,
    hostile(schema, prefix, member),
  ]);
  return { ...Object.fromEntries(members), ...(typeof others === 'object' && { [HOSTILE]: hostile(others, prefix) }) };
}

let refuses = false;
let listsOthers = false;
let asked: string[] = [];
const server = createServer((req, res) => {
  void text(req).then((body) => {
    const { method = '', params: { prefix = '' } = {} } = JSON.parse(body === '' ? '{}' : body) as {
      method?: string;
      params?: { prefix?: string };
    };
    asked.push(method);
    const refusal = { code: -32009, message: HOSTILE, data: { code: 'conflict', detail: HOSTILE } };
    const schema = Object.hasOwn(rpcSchemas, method) ? rpcSchemas[method as RpcMethodName].result : undefined;
    res.end(
      JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        ...(refuses || schema === undefined
          ? { error: refusal }
          : { result: hostile(schema as Schema, listsOthers ? '' : prefix) }),
      }),
    );
  });
});
let home: string;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'svc-hostile-'));
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await rm(home, { recursive: true });
});

/** What a command prints on a terminal, or into a pipe: on both outputs, and as messages alone. */
async function printed(
  args: readonly string[],
  { isTerminal }: { readonly isTerminal: boolean },
): Promise<{ readonly all: string; readonly messages: string }> {
  let all = '';
  let messages = '';
  const stdout = { isTTY: isTerminal, write: (text: string) => void (all += text) };
  const stderr = { isTTY: isTerminal, write: (text: string) => ((all += text), (messages += text)) };
  const env = {
    SVC_SERVER: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    SVC_CREDENTIAL: 'x',
    XDG_STATE_HOME: home,
    XDG_CONFIG_HOME: home,
    SVC_KEYRING: 'off',
  };
  await run(args, {
    env,
    print: linePrinter(stdout),
    printError: messagePrinter(stderr),
    stdout,
    stderr,
    watched: false,
    isTerminal,
    confirm: undefined,
    beforeInterrupt: () => undefined,
    version: '0',
  } as unknown as Edge);
  return { all, messages };
}

const UPLOADS = ['uploads'];
const UNKNOWN_OPTION = [`--${HOSTILE}`];
const COMMANDS: readonly (readonly string[])[] = [
  ['whoami'],
  ['providers'],
  ['ls'],
  ['ls', 'main'],
  ['ls', '-l', 'main'],
  ['ls', 'main/box/'],
  ['ls', '-lr', 'main/box/'],
  ['find'],
  ['find', 'main/box/', '--name', 'a'],
  ['du', 'main/box'],
  ['presign', 'main/box/k'],
  ['key', 'list'],
  ['key', 'create', 'd', '--allow', 'objects:read=main'],
  ['key', 'rotate', 'id'],
  ['key', 'replace-scope', 'id', '--allow', 'objects:read=main'],
  ['key', 'revoke', 'id'],
  UPLOADS,
  ['cp', '-r', 'svc:main/box/f', '/nonexistent/svc'],
  ['cp', 'svc:main/box/f', '-'],
  ['cp', 'svc:main/box/f', 'svc:main/box/g'],
  ['mv', 'main/box/f', 'main/box/g'],
  ['rm', '-r', '-n', 'main/box/f'],
  ['rm', '-r', 'main/box/f'],
  ['rm', 'main/box/f'],
  ['mb', 'main/bucket'],
  ['rb', 'main/bucket'],
  ['rb', '--force', 'main/bucket'],
  ['logout'],
  ['rm', `main/box/${HOSTILE}`],
  UNKNOWN_OPTION,
];

describe.each([
  ['', []],
  [' --json', ['--json']],
])('on a terminal, no text of a service reaches it as a control character: svc … %s', (_name, options) => {
  it.each(COMMANDS.map((args) => [args.join(' ').replace(HOSTILE, 'HOSTILE'), args] as const))(
    '%s',
    async (_command, args) => {
      for (refuses of [false, true]) {
        asked = [];
        const { all } = await printed([...args, ...options], { isTerminal: true });
        const isLocal = args === UPLOADS || args === UNKNOWN_OPTION;
        expect(asked.length > 0).toBe(!isLocal);
        if (args !== UPLOADS) expect(all).not.toBe('');
        expect(CONTROL.exec(all)).toBeNull();
        expect(all).not.toMatch(/^FAKE/m);
      }
    },
  );
});

const PRINT_NAMES = ['ls', 'find'];
const OWN_ARGUMENTS = [
  ['ls', `main/box/${HOSTILE}`, '--page', HOSTILE],
  ['cp', '-r', HOSTILE, `main/box/${HOSTILE}`],
  ['mv', `main/box/${HOSTILE}`, HOSTILE],
  ['rb', HOSTILE],
  ['key', 'revoke', HOSTILE],
  ['uploads', '--forget', HOSTILE],
  ['audit', 'show', HOSTILE, '--since', HOSTILE],
  ['policy', 'who', 'objects:get', HOSTILE, '--config', HOSTILE],
  [HOSTILE],
];

describe('in a pipe, no text of a service and no argument begins a line of a message: svc …', () => {
  it.each(
    [...COMMANDS, ...OWN_ARGUMENTS].map((args) => [args.join(' ').replaceAll(HOSTILE, 'HOSTILE'), args] as const),
  )('%s', async (_command, args) => {
    for (refuses of [false, true]) {
      const { all, messages } = await printed(args, { isTerminal: false });
      const said = PRINT_NAMES.includes(args[0]!) ? messages : all;
      expect(CONTROL.exec(said)).toBeNull();
      expect(said).not.toMatch(/^FAKE/m);
    }
  });
});

it.each([
  ['cp', '-r', 'svc:main/box/f', '/nonexistent/svc'],
  ['cp', '-r', 'svc:main/box/f', 'svc:main/box/g'],
  ['rm', '-r', '--yes', 'main/box/f'],
])('%s %s touches nothing outside the folder that it was asked for: %s', async (...args) => {
  asked = [];
  refuses = false;
  listsOthers = true;
  const { all } = await printed(args, { isTerminal: true }).finally(() => (listsOthers = false));
  expect(all).toMatch(/^the service lists `a.*`, which is not in `main\/box\/f\/`; tell whoever runs it$/m);
  expect(asked.filter((method) => /copy|delete|transfer/.test(method))).toEqual([]);
});
