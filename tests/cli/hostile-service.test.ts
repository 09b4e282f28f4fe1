import { mkdtemp, readdir, rm } from 'node:fs/promises';
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
/** Results of methods in place of those that are made up. */
let told: Readonly<Record<string, object>> | undefined;
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
          : { result: told?.[method] ?? hostile(schema as Schema, listsOthers ? '' : prefix) }),
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
  { isTerminal, more = {} }: { readonly isTerminal: boolean; readonly more?: Readonly<Record<string, string>> },
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
    ...more,
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
  ['tree', 'main/box/'],
  ['stat', 'main/box/k'],
  ['head', 'main/box/k'],
  ['versions', 'main/box/k'],
  ['versions', '-r', 'main/box/'],
  ['undelete', 'main/box/k'],
  ['undelete', '-r', '-n', 'main/box/'],
  ['tags', 'main/box/k'],
  ['tags', '--set', 'a=b', 'main/box/k'],
  ['s3', 'configure', 'restic', '--provider', 'main'],
  ['s3', 'credential-process', '--provider', 'main'],
  ['s3', 'key', 'create', '--description', 'd'],
  ['s3', 'key', 'list'],
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

it('svc find -0 shows names on a terminal as any other command does, and gives them to a pipe as they are', async () => {
  refuses = false;
  const { all } = await printed(['find', '-0', 'main/box/'], { isTerminal: true });
  expect(all).toMatch(/\0$/);
  expect(CONTROL.exec(all.replaceAll('\0', ''))).toBeNull();
  expect((await printed(['find', '-0', 'main/box/'], { isTerminal: false })).all).toContain(`${HOSTILE}\0`);
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
  ['rm', '--glob', '--yes', 'main/box/f/*'],
  ['cp', 'svc:main/box/f/*', 'svc:main/box/g/'],
])('%s %s touches nothing outside the folder that it was asked for: %s', async (...args) => {
  asked = [];
  refuses = false;
  listsOthers = true;
  const { all } = await printed(args, { isTerminal: true }).finally(() => (listsOthers = false));
  expect(all).toMatch(/^the service lists `a.*`, which is not in `main\/box\/f\/\*?`; tell whoever runs it$/m);
  expect(asked.filter((method) => /copy|delete|transfer/.test(method))).toEqual([]);
});

/** What a service could give in place of each text, so that files and shells of this machine run a command. */
const INJECTED = ['svc\ncredential_process = /tmp/evil', '$(/tmp/evil)', "x';/tmp/evil #", '[other]', 'a b'];

describe.each(INJECTED)('a service that gives %j', (text) => {
  const good = {
    initialize: { s3: { endpoint: 'https://s3.example.com', region: 'svc' } },
    's3Key/create': { key: { accessKeyId: `SVC${'A'.repeat(17)}`, expiresAt: null }, secretAccessKey: 'a'.repeat(40) },
    'provider/list': { providers: [{ name: 'main' }] },
  };
  const bad: readonly (readonly [string, object])[] = [
    ['endpoint', { ...good, initialize: { s3: { endpoint: `https://s3.example.com${text}`, region: 'svc' } } }],
    ['region', { ...good, initialize: { s3: { endpoint: 'https://s3.example.com', region: text } } }],
    [
      'access key ID',
      { ...good, 's3Key/create': { ...good['s3Key/create'], key: { accessKeyId: text, expiresAt: null } } },
    ],
    ['secret', { ...good, 's3Key/create': { ...good['s3Key/create'], secretAccessKey: text } }],
    ['provider', { ...good, 'provider/list': { providers: [{ name: text }] } }],
  ];

  it.each(bad)('as the %s writes it into no file and prints it to no shell', async (_what, answers) => {
    told = answers as Record<string, object>;
    const folder = await mkdtemp(join(tmpdir(), 'svc-profile-'));
    const files = {
      AWS_SHARED_CREDENTIALS_FILE: join(folder, 'aws'),
      AWS_CONFIG_FILE: join(folder, 'config'),
      RCLONE_CONFIG: join(folder, 'rclone'),
    };
    for (const command of [
      ['s3', 'configure', 'aws'],
      ['s3', 'configure', 'rclone'],
      ['s3', 'configure', 'restic'],
      ['s3', 'key', 'create', '--description', 'd'],
    ]) {
      const { all, messages } = await printed(command, { isTerminal: false, more: files });
      expect(messages).toContain('tell whoever runs it');
      expect(all.replace(messages, '')).toBe('');
    }
    expect(await readdir(folder)).toEqual([]);
    await rm(folder, { recursive: true });
    told = undefined;
  });
});

it.each([
  ['versions', '-r', 'main/box/'],
  ['undelete', '-r', '-n', 'main/box/'],
  ['policy', 'who', '--keys', '--config', 'svc.config.yaml', 'objects:get', 'main/box/a'],
])('%s %s ends when the service gives a cursor again', async (...args) => {
  told = {
    initialize: { capabilities: { apiKeys: true } },
    'apiKey/listAll': { keys: [], nextCursor: 'again' },
    'object/listVersions': { versions: [], prefixes: [], nextCursor: 'again' },
  };
  const { messages } = await printed(args, { isTerminal: false }).finally(() => (told = undefined));
  expect(messages).toContain('the same page twice');
});
