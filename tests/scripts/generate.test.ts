import { readFileSync } from 'node:fs';
import { Ajv, type AnySchemaObject } from 'ajv';
import { describe, expect, it } from '@jest/globals';
import { load } from 'js-yaml';
import { generatedFiles } from '../../scripts/generate/files.ts';
import { shownCommands } from '../../scripts/generate/help.ts';
import { manualPages } from '../../scripts/generate/manual.ts';

const committed = (file: string) => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');

const files = await generatedFiles();

describe('npm run build:docs', () => {
  it.each(files.map(({ file, content }) => [file, content]))('has nothing to change in %s', (file, content) => {
    expect(committed(file)).toBe(content);
  });

  it('has help that fits a terminal of 80 columns, for every command', () => {
    const lines = shownCommands().flatMap((command) => {
      let help = '';
      command.configureOutput({ writeOut: (text) => (help += text), getOutHelpWidth: () => 80 }).outputHelp();
      return help.split('\n');
    });
    expect(lines.length).toBeGreaterThan(1_000);
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
  });

  it('makes a reference of the command line that fits on 12 printed pages', () => {
    // Measured in Chromium: A4, 10 pt, 98 characters a line. A heading takes as much as two lines, and so do the blank lines between two parts.
    const lines = committed('docs/cli.md')
      .split('\n')
      .reduce(
        (sum, line) => sum + (line === '' ? 0.5 : Math.ceil(line.length / 98) + (line.startsWith('#') ? 1 : 0)),
        0,
      );
    expect(lines / 70).toBeLessThanOrEqual(12);
  });

  it('makes manual pages in which no text is taken for a request or a macro', () => {
    const pages = manualPages('1.2.3');
    const { text = '' } = pages.find(({ file }) => file === 'svc-key-create.1') ?? {};
    expect(text).toMatch(/^\.TH SVC-KEY-CREATE 1 "" "svc 1\.2\.3"\n/);
    expect(text).toContain('\n.SH OPTIONS\n.TP\n\\fB');
    expect(text).toContain('\n.SH EXAMPLES\n');
    expect(committed('docs/cli.md')).toContain('svc key list --json |\n  jq -r');
    const known = /^\.(?:TH|SH|TP|PP|nh|ad|nf|fi|\\")/;
    for (const page of pages)
      expect(page.text.split('\n').filter((line) => /^[.']/.test(line) && !known.test(line))).toEqual([]);
  });

  it("makes an editor's schema that accepts the example, references and all", () => {
    const schema = JSON.parse(committed('docs/svc.config.schema.json')) as AnySchemaObject;
    const validate = new Ajv({ strict: false, allErrors: true }).compile(schema);
    const example = load(committed('svc.config.yaml')) as { server: { port: unknown } };
    expect(validate(example) === true ? null : validate.errors).toBeNull();
    expect(validate({ ...example, server: { port: '${PORT:-8080}' } })).toBe(true);
    expect(validate({ ...example, server: { port: 'eighty' } })).toBe(false);
    expect(validate({ ...example, server: { prot: 1 } })).toBe(false);
  });

  it('makes a schema for a file of a team that accepts rules, and no key that does not belong there', () => {
    const validate = new Ajv({ strict: false, allErrors: true }).compile(
      JSON.parse(committed('docs/svc.team.schema.json')) as AnySchemaObject,
    );
    const rules = [
      {
        effect: 'allow',
        actions: ['objects:read'],
        resources: [{ type: 'bucket', provider: 'main', bucket: 'finance' }],
      },
    ];
    const file = (more: object, document: object) => ({
      owner: 'finance',
      policies: [{ version: 1, name: 'x', ...document }],
      ...more,
    });
    expect(validate(file({}, { rules })) === true ? null : validate.errors).toBeNull();
    expect(
      [
        file({ bindings: [] }, { rules }),
        file({}, { iam_file: 'x.json' }),
        file({}, { rules: [{ ...rules[0], actions: ['all'] }] }),
        { policies: [] },
      ].map((one) => validate(one)),
    ).toEqual([false, false, false, false]);
  });
});
