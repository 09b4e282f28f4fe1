import { chmodSync } from 'node:fs';
import { afterAll, describe, expect, it } from '@jest/globals';
import { Faults } from '../../src/config/read/fault.ts';
import { SecretValues } from '../../src/config/read/secret-values.ts';
import { substitute } from '../../src/config/read/substitute.ts';
import { SECRET, WrittenConfig } from './written-config.ts';
import { workedMs } from '../support/worked.ts';

const written = new WrittenConfig();
afterAll(() => written.remove());
/** The user with no rights on Debian and most other systems. */
const NOBODY = 65_534;

function filled(text: string, env: Record<string, string> = {}) {
  const faults = new Faults();
  const { value } = substitute(
    { key: text },
    { env, directory: written.directory, faults, secrets: new SecretValues() },
  );
  return {
    text: (value as { key: string }).key,
    faults: faults.list.map(({ path, message }) => `${path}: ${message}`),
  };
}

describe('substitute', () => {
  it.each([
    ['${A}', { A: 'a' }, 'a'],
    ['x${A}y${B}', { A: 'a', B: 'b' }, 'xayb'],
    ['${A:-fallback}', {}, 'fallback'],
    ['${A:-fallback}', { A: '' }, 'fallback'],
    ['${A:-}', {}, ''],
    ['${A}', { A: '' }, ''],
    ['${A:-redis://h:1}', {}, 'redis://h:1'],
    ['$$', {}, '$'],
    ['$${A}', { A: 'a' }, '${A}'],
    ['$$$${A}', { A: 'a' }, '$${A}'],
    ['100$ and $A', { A: 'a' }, '100$ and $A'],
    ['${A}', { A: '${B}', B: 'b' }, '${B}'],
    ['${A}', { A: '$$&' }, '$$&'],
  ])('makes %j with %j to %j', (text, env, expected) => {
    expect(filled(text, env as Record<string, string>)).toEqual({ text: expected, faults: [] });
  });

  it.each([
    ['${A}', 'key: the environment variable `A` is not set; set it, or write `${A:-fallback}`'],
    [
      '${constructor}',
      'key: the environment variable `constructor` is not set; set it, or write `${constructor:-fallback}`',
    ],
    [
      '${A',
      'key: holds a `${` that is not `${NAME}`, `${NAME:-fallback}` or `${file:/path}`; write `$$` for a plain `$`',
    ],
    [
      '${a-b}',
      'key: holds a `${` that is not `${NAME}`, `${NAME:-fallback}` or `${file:/path}`; write `$$` for a plain `$`',
    ],
    [
      '${file:/secrets/${A}}',
      'key: holds a `${` that is not `${NAME}`, `${NAME:-fallback}` or `${file:/path}`; write `$$` for a plain `$`',
      'key: the environment variable `A` is not set; set it, or write `${A:-fallback}`',
    ],
    ['${file:/does/not/exist}', 'key: the file `/does/not/exist` cannot be read: there is no such file'],
    ['${file:.}', 'key: the file `.` cannot be read: it is a folder'],
    [
      '${file:/dev/null/secret}',
      'key: the file `/dev/null/secret` cannot be read: a part of its path is a file and not a folder',
    ],
  ])('names the key when %j cannot be filled in', (text, ...faults) => {
    expect(filled(text).faults).toEqual(faults);
  });

  it('advises no fallback in the file for a secret', () => {
    const headers = [{ name: 'Authorization', value: 'Bearer ${TOKEN}' }];
    const config = {
      state: { url: '${URL}' },
      providers: [
        { name: 'a' },
        { name: 'b', region: '${REGION}', credentials: { access_key_id: 'x', secret_access_key: '${S3_SECRET}' } },
      ],
      audit: {
        path: 'a',
        signing_secret: 's'.repeat(32),
        sinks: [{ name: 's', url: 'https://siem.example.com', headers }],
      },
    };
    const fault = (name: string, hint: string) =>
      expect.stringMatching(new RegExp(`: the environment variable \`${name}\` is not set; set it, or ${hint}$`));
    expect(written.faults(config, SECRET)).toEqual([
      fault('URL', 'read it from a file, with `\\$\\{file:/path\\}`'),
      fault('REGION', 'write `\\$\\{REGION:-fallback\\}`'),
      fault('S3_SECRET', 'read it from a file, with `\\$\\{file:/path\\}`'),
      fault('TOKEN', 'read it from a file, with `\\$\\{file:/path\\}`'),
    ]);
  });

  it.each(['${', '${file:', '${a:-', '${file:x'])('says once that a text is full of `%s`, and soon', (reference) => {
    const since = workedMs();
    expect(filled(reference.repeat(200_000)).faults).toEqual([
      expect.stringMatching(/^key: holds a `\$\{` that|^key: the fallback of `\$\{a:-…\}` holds another/),
    ]);
    expect(workedMs() - since).toBeLessThan(5_000);
  });

  it('refuses a reference in a fallback, whatever is set', () => {
    for (const env of [{}, { A: 'a' }, { B: 'b' }, { A: 'a', B: 'b' }])
      expect(filled('x${A:-y${B}z}', env as Record<string, string>).faults).toContain(
        'key: the fallback of `${A:-…}` holds another `${`; a fallback is plain text',
      );
  });

  it('reads a file, without the line break at its end', () => {
    const path = written.write('secret', 'from a file\n');
    expect(filled(`\${file:${path}}`).text).toBe('from a file');
    expect(filled('${file:secret}').text).toBe('from a file');
  });

  it('says that nobody gave permission to read a file', () => {
    const path = written.write('private', 'x');
    chmodSync(path, 0);
    const isRoot = process.geteuid?.() === 0;
    // Root may read every file.
    if (isRoot) process.seteuid?.(NOBODY);
    try {
      expect(filled(`\${file:${path}}`).faults).toEqual([
        `key: the file \`${path}\` cannot be read: the user who runs svc has no permission`,
      ]);
    } finally {
      if (isRoot) process.seteuid?.(0);
    }
  });

  it('reads numbers and booleans where the key wants them, and nowhere else', () => {
    const env = { ...SECRET, PORT: '8443', OFF: 'false', NAME: '42' };
    const config = {
      server: { port: '${PORT}' },
      policy: { enabled: '${OFF}' },
      providers: [{ name: '${NAME}', path_style: '${STYLE:-false}', timeout_seconds: '${T:-1.5}' }],
    };
    const { settings } = written.load(config, env);
    expect(settings?.server.port).toBe(8443);
    expect(settings?.policy.enabled).toBe(false);
    expect(settings?.providers).toMatchObject([{ name: '42', pathStyle: false, idleTimeoutMs: 1500 }]);
    expect(written.faults({ server: { port: '8443' } })).toEqual(['server.port: must be a whole number']);
    expect(written.faults({ server: { port: '${PORT}' } }, { ...SECRET, PORT: 'http' })).toEqual([
      'server.port: must be a whole number',
    ]);
  });
});
