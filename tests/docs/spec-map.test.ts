import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { loadSettings } from '../../src/config/load.ts';

const CHECKOUT = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const DECISIONS = readdirSync(join(CHECKOUT, 'docs/decisions')).map((file) => `docs/decisions/${file}`);
const DOCUMENTS = [
  'README.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'docs/architecture.md',
  'docs/comparison.md',
  'docs/dependencies.md',
  'docs/desktop.md',
  'docs/identity-providers.md',
  'docs/install.md',
  'docs/upgrade.md',
  'docs/operation.md',
  'docs/policies.md',
  'docs/policy-answers.md',
  'docs/rpc.md',
  'docs/spec-map.md',
  'docs/speed.md',
  'docs/tour.md',
  'packaging/README.md',
  ...DECISIONS,
];

const read = (document: string) => readFileSync(join(CHECKOUT, document), 'utf8');
const isThere = (path: string) => existsSync(join(CHECKOUT, path));

/** Files and folders of the checkout that stand in backticks. */
function pathsIn(text: string): string[] {
  return Array.from(text.matchAll(/`((?:src|tests|scripts|docs|bin|openapi)\/[\w./-]+)`/g), ([, path]) => path!);
}

/** What relative links lead to, from the document's own folder. */
function linksIn(document: string, text: string): string[] {
  return Array.from(text.matchAll(/\]\((?!https?:|#)([^)#\s]+)(?:#[^)]*)?\)/g), ([, target]) =>
    posix.join(posix.dirname(document), target!),
  );
}

describe.each(DOCUMENTS)('%s', (document) => {
  it('names files that are there', () => {
    expect(pathsIn(read(document)).filter((path) => !isThere(path))).toEqual([]);
  });

  it('links to files that are there', () => {
    expect(linksIn(document, read(document)).filter((path) => !isThere(path))).toEqual([]);
  });
});

describe('docs/spec-map.md', () => {
  const SECTIONS = [
    'What the service does',
    'Resources and their fields',
    'States and transitions',
    'Endpoints',
    'Authentication',
    'Events',
    'Errors',
    'Limits',
    'Versioning',
  ];

  it('has the sections of the specification, in its order', () => {
    expect(Array.from(read('docs/spec-map.md').matchAll(/^## (.+)$/gm), ([, title]) => title)).toEqual(SECTIONS);
  });

  it('names a file of the source and a test in every row', () => {
    const rows = read('docs/spec-map.md')
      .split('\n')
      .filter((line) => line.startsWith('| ') && !/^\| [\w ]+ \| Code \| Test \|$/.test(line));
    expect(rows.length).toBeGreaterThan(100);
    expect(rows.filter((row) => !/\| [^|]*`src\/[^|]* \| [^|]*`tests\/[^|]* \|$/.test(row))).toEqual([]);
  });
});

describe('docs/architecture.md', () => {
  const folders = readdirSync(join(CHECKOUT, 'src'), { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? [`src/${entry.name}`] : [],
  );

  it('describes every folder of the source', () => {
    const described = new Set(pathsIn(read('docs/architecture.md')));
    expect(folders.filter((folder) => !described.has(folder))).toEqual([]);
  });

  it('says of the web UI what each of its folders is', () => {
    const text = read('docs/architecture.md');
    const parts = readdirSync(join(CHECKOUT, 'src/web'), { withFileTypes: true }).flatMap((entry) =>
      entry.isDirectory() ? [entry.name] : [],
    );
    expect(parts.filter((part) => !text.includes(`\`${part}\``))).toEqual([]);
  });
});

describe('docs/decisions', () => {
  it.each(DECISIONS)('%s has Background, Decision and Consequences', (document) => {
    expect(Array.from(read(document).matchAll(/^## (.+)$/gm), ([, title]) => title)).toEqual([
      'Background',
      'Decision',
      'Consequences',
    ]);
  });
});

describe('docs/dependencies.md', () => {
  it('gives a reason for every package that the service imports', () => {
    const { dependencies, devDependencies } = JSON.parse(read('package.json')) as Record<
      'dependencies' | 'devDependencies',
      Readonly<Record<string, string>>
    >;
    const sources = readdirSync(join(CHECKOUT, 'src'), { recursive: true, encoding: 'utf8' }).filter(
      (file) => file.endsWith('.ts') && !file.startsWith('web/'),
    );
    const code = sources.map((file) => read(`src/${file}`)).join('\n');
    const named = new Set(
      Array.from(code.matchAll(/(?:from |import\()'((?:@[^/']+\/)?[^/']+)['/]/g), ([, name]) => name!),
    );
    const imported = Object.keys({ ...dependencies, ...devDependencies }).filter((name) => named.has(name));
    const text = read('docs/dependencies.md');
    expect(imported.length).toBeGreaterThan(20);
    expect(
      imported.filter(
        (name) => !name.startsWith('@aws-sdk/') && !new RegExp(`(?<![\\w-])${name}(?![\\w-])`).test(text),
      ),
    ).toEqual([]);
  });
});

describe('README.md', () => {
  it('begins with the two commands', () => {
    expect(
      Array.from(read('README.md').matchAll(/^npm install && npm .*$/gm), ([line]) => line.split('#')[0]!.trim()),
    ).toEqual(['npm install && npm run demo', 'npm install && npm test']);
  });

  it('has at most 1,800 words', () => {
    expect(read('README.md').split(/\s+/).length).toBeLessThanOrEqual(1_800);
  });

  it('shows a configuration that has no fault and no warning', () => {
    const [, yaml = ''] = /```yaml\n([\s\S]*?)```/.exec(read('README.md')) ?? [];
    const directory = mkdtempSync(join(tmpdir(), 'svc-readme-'));
    const file = join(directory, 'svc.yaml');
    writeFileSync(file, yaml.replaceAll(/\$\{file:[^}]+\}/g, 'a-secret-from-a-file-of-32-characters'));
    const { faults, warnings } = loadSettings({
      file,
      env: { SVC_OIDC_CLIENT_SECRET: 'secret', SVC_SESSION_SECRET: 'x'.repeat(32) },
    });
    rmSync(directory, { recursive: true });
    expect({ faults, warnings }).toEqual({ faults: undefined, warnings: [] });
  });
});
