import { readFileSync } from 'node:fs';
import { Ajv, type AnySchemaObject } from 'ajv';
import { describe, expect, it } from '@jest/globals';
import { load } from 'js-yaml';
import { generatedFiles } from '../../scripts/generate/files.ts';

const committed = (file: string) => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');

const files = await generatedFiles();

describe('npm run build:docs', () => {
  it.each(files.map(({ file, content }) => [file, content]))('has nothing to change in %s', (file, content) => {
    expect(committed(file)).toBe(content);
  });

  it('has help that fits a terminal of 80 columns, for every command', () => {
    const blocks = committed('docs/cli.md')
      .split('```')
      .filter((_block, i) => i % 2 === 1);
    expect(blocks.length).toBeGreaterThan(20);
    expect(blocks.flatMap((block) => block.split('\n')).filter((line) => line.length > 80)).toEqual([]);
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
