import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { dump, load } from 'js-yaml';
import { nameInPatch, unifiedDiff } from '../../../src/config/edit/unified-diff.ts';
import { editYaml, literally, type YamlEdit } from '../../../src/config/edit/yaml-edit.ts';

const POLICIES = `# Who may what.
policies:
  # Everybody in finance.
  - version: 1
    name: finance   # see the wiki
    rules:
      # Invoices of all years.
      - effect: allow
        actions: [objects:read, objects:write]   # both
        resources:
          - { type: prefix, provider: main, bucket: finance, prefix: invoices/ }
          # Old ones.
          - type: prefix
            provider: main
            bucket: finance
            prefix: "archive/" # closed

      # Nobody deletes.
      - effect: deny
        actions: [objects:delete]
        resources: [{ type: all }]

# Who is in.
bindings:
- groups: [finance, audit]
  policies: [finance]   # for now
- subjects:
    - ada # since May
  role: admin
`;

describe('editYaml', () => {
  it.each<[string, YamlEdit[], string[], string[]]>([
    [
      'removes a rule, and leaves the comments around it',
      [{ do: 'remove', path: ['policies', 0, 'rules', 1] }],
      ['- effect: deny', '[objects:delete]', '{ type: all }'],
      [],
    ],
    [
      'removes the first rule',
      [{ do: 'remove', path: ['policies', 0, 'rules', 0] }],
      ['- effect: allow', '# Old ones', '# both', 'archive/'],
      [],
    ],
    [
      'removes an item of a flow list with its comma',
      [{ do: 'remove', path: ['policies', 0, 'rules', 0, 'actions', 1] }],
      ['objects:write'],
      ['[objects:read]   # both'],
    ],
    [
      'removes the first item of a flow list',
      [{ do: 'remove', path: ['bindings', 0, 'groups', 0] }],
      ['[finance, audit]'],
      ['groups: [audit]'],
    ],
    [
      'removes a block in a list',
      [{ do: 'remove', path: ['policies', 0, 'rules', 0, 'resources', 1] }],
      ['type: prefix\n', '# closed'],
      ['# Old ones.'],
    ],
    [
      'removes the key behind a dash, and the next one takes its place',
      [{ do: 'remove', path: ['bindings', 0, 'groups'] }],
      ['groups:'],
      ['- policies: [finance]   # for now'],
    ],
    [
      'writes `[]` when all items of a list go',
      [
        { do: 'remove', path: ['policies', 0, 'rules', 0] },
        { do: 'remove', path: ['policies', 0, 'rules', 1] },
      ],
      ['effect'],
      ['    rules: []\n', '# Invoices of all years.'],
    ],
    [
      'writes `[]` for the last item of a flow list',
      [{ do: 'remove', path: ['bindings', 0, 'policies', 0] }],
      [],
      ['policies: []   # for now'],
    ],
    [
      'replaces a block by a value on one line',
      [
        {
          do: 'replace',
          path: ['policies', 0, 'rules', 0, 'resources'],
          value: [{ type: 'object', provider: 'main', bucket: 'b', key: 'a: b #c' }],
        },
      ],
      ['invoices/', '# closed'],
      ['resources: [{ type: object, provider: main, bucket: b, key: "a: b #c" }]'],
    ],
    [
      'appends to a list of either kind',
      [
        { do: 'append', path: ['bindings'], value: { groups: ['new'], policies: ['finance'] } },
        { do: 'append', path: ['bindings', 0, 'groups'], value: 'on' },
      ],
      [],
      ['\n- { groups: [new], policies: [finance] }\n', '[finance, audit, "on"]'],
    ],
  ])('%s', (_, edits, gone, there) => {
    const { text } = editYaml(POLICIES, edits);
    for (const part of gone) expect(text).not.toContain(part);
    for (const part of ['# Who may what.', '# Who is in.', ...there]) expect(text).toContain(part);
  });

  it('removes the lines of an item in brackets that stands alone in them', () => {
    const source = 'groups: [\n  finance, # since May\n  # Of the house.\n  audit, staff,\n  guests ]\n';
    expect(editYaml(source, [{ do: 'remove', path: ['groups', 0] }]).text).toBe(
      'groups: [\n  # Of the house.\n  audit, staff,\n  guests ]\n',
    );
    expect(editYaml(source, [{ do: 'remove', path: ['groups', 1] }]).text).toBe(
      'groups: [\n  finance, # since May\n  # Of the house.\n  staff,\n  guests ]\n',
    );
  });

  it('refuses a place that is not there, two changes in one place, and what is no YAML', () => {
    const refusal = expect.objectContaining({ name: 'CannotEdit' });
    const failing = (source: string, edits: YamlEdit[]) => {
      try {
        return editYaml(source, edits).text;
      } catch (error) {
        return error;
      }
    };
    expect(failing(POLICIES, [{ do: 'remove', path: ['policies', 3] }])).toEqual(refusal);
    expect(failing(POLICIES, [{ do: 'remove', path: ['toString'] }])).toEqual(refusal);
    expect(failing('a: [b', [{ do: 'remove', path: ['a'] }])).toEqual(refusal);
    expect(failing('a: 1', [{ do: 'append', path: ['a'], value: 2 }])).toEqual(refusal);
  });

  it('doubles what a configuration would take for a reference', () => {
    expect(literally([{ prefix: 'a$b/${X}' }])).toEqual([{ prefix: 'a$$b/$${X}' }]);
  });
});

const text = fc.oneof(
  fc.constantFrom('a', 'photos/', 'x: y', '# no', '- z', 'true', '', '*', '"q"', "it's", '{', 'null', '12', 'ü\u2028'),
  fc.string({ unit: 'grapheme', maxLength: 8 }),
);
const { value: data } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    { weight: 1, arbitrary: text },
    { weight: 1, arbitrary: fc.integer() },
    { weight: 2, arbitrary: fc.array(tie('value'), { maxLength: 4 }) },
    {
      weight: 2,
      arbitrary: fc.dictionary(
        fc.string({ unit: fc.constantFrom('a', 'b', 'c', ' ', '-'), minLength: 1, maxLength: 4 }),
        tie('value'),
        { maxKeys: 4 },
      ),
    },
  ),
}));

const places = (value: unknown, path: (string | number)[] = []): (string | number)[][] => [
  ...(path.length > 0 ? [path] : []),
  ...(Array.isArray(value)
    ? value.flatMap((one, i) => places(one, [...path, i]))
    : typeof value === 'object' && value !== null
      ? Object.entries(value).flatMap(([name, one]) => places(one, [...path, name]))
      : []),
];

/** A file in some layout, with comments on lines of their own, and changes of it. */
const edited = fc
  .record({
    root: fc.dictionary(fc.constantFrom('policies', 'roles', 'b'), data, { minKeys: 1 }),
    flowLevel: fc.integer({ min: -1, max: 5 }),
    indentLists: fc.boolean(),
    crlf: fc.boolean(),
    ends: fc.boolean(),
    picks: fc.array(fc.tuple(fc.nat(), fc.constantFrom('remove', 'remove', 'replace', 'append'), data), {
      minLength: 1,
      maxLength: 4,
    }),
  })
  .map(({ root, flowLevel, indentLists, crlf, ends, picks }) => {
    const plain = dump(root, { flowLevel, seqNoIndent: !indentLists, lineWidth: -1, noRefs: true });
    const all = places(root);
    const lists = all.filter((path) =>
      Array.isArray(path.reduce<unknown>((at, name) => (at as Record<string | number, unknown>)[name], root)),
    );
    const edits = picks.map(([pick, what, value]): YamlEdit => {
      const path = (what === 'append' && lists.length > 0 ? lists : all)[
        pick % (what === 'append' && lists.length > 0 ? lists : all).length
      ]!;
      if (what === 'remove') return { do: 'remove', path };
      return what === 'append' && lists.length > 0 ? { do: 'append', path, value } : { do: 'replace', path, value };
    });
    const laidOut = `# head\n${ends ? plain : plain.replace(/\n$/, '')}`;
    return {
      source: crlf ? laidOut.replaceAll('\n', '\r\n') : laidOut,
      edits: [...new Map(edits.map((edit) => [JSON.stringify(edit.path), edit])).values()],
    };
  })
  // A change within another one is none.
  .filter(({ edits }) =>
    edits.every(({ path, do: what }) =>
      edits.every(
        (other) =>
          other.path === path ||
          (other.do === 'append' && what === 'remove' && path.length === other.path.length + 1) ||
          !path.join('\0').startsWith(`${other.path.join('\0')}\0`),
      ),
    ),
  );

describe('editYaml and unifiedDiff', () => {
  const directory = mkdtempSync(join(tmpdir(), 'svc-patch-'));
  beforeAll(() => void execFileSync('git', ['init', '-q', directory]));
  afterAll(() => rmSync(directory, { recursive: true }));

  it('change what they are told in any layout, or refuse; `git apply` makes the same file of the patch', () => {
    const cases = fc.sample(edited, { numRuns: 3000, seed: 7 });
    const patches: string[] = [];
    const wanted = new Map<string, string>();
    let refused = 0;
    mkdirSync(join(directory, 'with space'));
    for (const [i, { source, edits }] of cases.entries()) {
      const name = i % 2 === 0 ? `f${i}.yaml` : `with space/"f"${i}.yaml`;
      let result;
      try {
        result = editYaml(source, edits);
      } catch (error) {
        expect(error).toEqual(expect.objectContaining({ name: 'CannotEdit' }));
        refused += 1;
        continue;
      }
      writeFileSync(join(directory, name), source);
      patches.push(unifiedDiff(name, source, result.cuts));
      wanted.set(name, result.text);
      expect(result.text.startsWith('# head')).toBe(true);
    }
    expect(refused).toBe(0);
    execFileSync('git', ['-c', 'core.autocrlf=false', 'apply', '--whitespace=nowarn', '-'], {
      cwd: directory,
      input: patches.join(''),
    });
    for (const [name, content] of wanted) expect(readFileSync(join(directory, name), 'utf8')).toBe(content);
    expect(load(wanted.values().next().value!)).toBeDefined();
  });

  it('name a file from the working directory, or from the root', () => {
    expect(nameInPatch('./conf//svc.yaml', '/work')).toBe('conf/svc.yaml');
    expect(nameInPatch('/work/svc.yaml', '/work')).toBe('svc.yaml');
    expect(nameInPatch('/etc/svc.yaml', '/work')).toBe('etc/svc.yaml');
  });
});
