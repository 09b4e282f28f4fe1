import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect, it } from '@jest/globals';
import { Linter } from 'eslint';
import ts from 'typescript';
import { parser } from 'typescript-eslint';
import type { Permitted } from '../../../src/policy/model/permitted.ts';
import type { ObjectResource } from '../../../src/policy/model/resource.ts';
import { deleteObjects } from '../../../src/storage/object-delete.ts';
import { getObject, headObject } from '../../../src/storage/object-read.ts';
import type { Storage } from '../../../src/storage/storage.ts';

const root = join(import.meta.dirname, '../../..');
const filesOf = (folder: string) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(root, folder, name));

/** What operations import from `src/storage`, by name. Types are left out. */
function importedFromStorage(program: ts.Program): ReadonlyMap<string, ts.Type> {
  const checker = program.getTypeChecker();
  const found = new Map<string, ts.Type>();
  for (const file of filesOf('src/operation').map((name) => program.getSourceFile(name)!)) {
    for (const statement of file.statements) {
      if (!ts.isImportDeclaration(statement) || !/\/storage\//.test(statement.moduleSpecifier.getText())) continue;
      if (statement.importClause === undefined || statement.importClause.phaseModifier === ts.SyntaxKind.TypeKeyword)
        continue;
      const { namedBindings } = statement.importClause;
      if (namedBindings === undefined || !ts.isNamedImports(namedBindings))
        throw new Error(`${file.fileName} imports storage without naming the functions`);
      for (const { isTypeOnly, name } of namedBindings.elements)
        if (!isTypeOnly) found.set(name.text, checker.getTypeAtLocation(name));
    }
  }
  return found;
}

/** The members by which a provider is reached from a type without passing a permitted place; undefined when there is none. */
function wayToProvider(checker: ts.TypeChecker, type: ts.Type, seen = new Set<ts.Type>()): string | undefined {
  if (seen.has(type) || isPermitted(checker, type)) return undefined;
  seen.add(type);
  if (type.aliasSymbol?.name === 'StorageProvider' || type.getProperty('s3') !== undefined) return '';
  if (type.isUnion()) return first(type.types, (each) => wayToProvider(checker, each, seen));
  const results = first(type.getCallSignatures(), (signature) =>
    wayToProvider(checker, signature.getReturnType(), seen),
  );
  if (results !== undefined) return `()${results}`;
  return first(checker.getPropertiesOfType(type), (member) => {
    if (!isOurs(member)) return undefined;
    const way = wayToProvider(checker, checker.getTypeOfSymbol(member), seen);
    return way === undefined ? undefined : `.${member.name}${way}`;
  });
}

function isPermitted(checker: ts.TypeChecker, type: ts.Type): boolean {
  return checker
    .getPropertiesOfType(type)
    .some(
      ({ name, declarations }) =>
        name === 'allowed' &&
        declarations?.some((each) => each.getSourceFile().fileName.endsWith('src/policy/model/permitted.ts')),
    );
}

function isOurs({ declarations = [] }: ts.Symbol): boolean {
  return declarations.some((each) => relative(root, each.getSourceFile().fileName).startsWith('src/'));
}

function first<T, R>(list: readonly T[], find: (item: T) => R | undefined): R | undefined {
  for (const item of list) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

it('every function of storage that operations call takes permitted places only', () => {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), (path) => ts.sys.readFile(path)) as {
    readonly config: object;
  };
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: ['src/operation'] }, ts.sys, root);
  const program = ts.createProgram(filesOf('src/operation'), options);
  const checker = program.getTypeChecker();
  const takers: string[] = [];
  const open: string[] = [];
  for (const [name, type] of importedFromStorage(program)) {
    for (const signature of [...type.getCallSignatures(), ...type.getConstructSignatures()]) {
      for (const parameter of signature.parameters) {
        const typeOf = checker.getTypeOfSymbol(parameter);
        const way = wayToProvider(checker, typeOf);
        if (way !== undefined) open.push(`${name}(${parameter.name}${way})`);
        if (isPermitted(checker, typeOf)) takers.push(name);
      }
    }
  }
  expect(open).toEqual([]);
  // That the test finds them at all.
  expect(takers).toEqual(
    expect.arrayContaining([
      'headObject',
      'getObject',
      'listObjects',
      'createBucket',
      'deleteObjects',
      'putPart',
      'copyObject',
      'archive',
      'presign',
      'Scan',
      'decodeCursor',
    ]),
  );
});

it('permitted places are made in four places only', () => {
  const makers = filesOf('src').filter((name) =>
    /\bas (?:unknown as )?(?:Permitted|Opened)\b/.test(readFileSync(name, 'utf8')),
  );
  expect(makers.map((name) => relative(root, name)).sort()).toEqual([
    'src/access/authorize.ts',
    'src/access/changes.ts',
    'src/storage/storage.ts',
    'src/storage/without-policy.ts',
  ]);
});

/* eslint-disable @typescript-eslint/no-misused-spread -- the compiler has to refuse these lines */

/** Never called: the compiler checks each line. */
export function plainNamesDoNotCompile(storage: Storage, target: Permitted<ObjectResource>): unknown {
  const secret = { bucket: 'payroll', key: 'secret.csv' };
  const object = storage.providers.open(target);
  return [
    headObject(object),
    // @ts-expect-error names about which nobody asked policy
    headObject({ provider: object.provider, ...secret }),
    // @ts-expect-error another key in a permitted place
    getObject({ ...object, key: secret.key }),
    // @ts-expect-error one object is no list of objects
    deleteObjects(object),
    // @ts-expect-error names that were not permitted
    storage.providers.open({ provider: target.provider, ...secret }),
    // @ts-expect-error another key in a permitted resource
    storage.providers.open({ ...target, key: secret.key }),
  ];
}

it('lint refuses the other ways of an operation to a place about which policy was not asked', async () => {
  const ways = [
    'export const a = place.provider.s3.send;',
    "export const b = place.provider['s3'];",
    'export const { s3: c } = place.provider;',
    "export const d = Object.assign({}, place, { key: 'other' });",
    "export const e = <P extends typeof place>(one: P) => ({ ...one, key: 'other' });",
    'export const f = { key: "other" } as unknown as Permitted<ObjectResource>;',
    'export const g = place.provider.links;',
  ];
  const code = [
    "import type { Permitted } from '../policy/model/permitted.ts';",
    "import type { ObjectResource } from '../policy/model/resource.ts';",
    "import type { Opened } from '../storage/provider.ts';",
    'declare const place: Opened<ObjectResource>;',
    'export const fine = { bucket: place.bucket, ...place.provider };',
    ...ways,
  ];
  const { default: configs } = (await import(join(root, 'eslint.config.js'))) as {
    readonly default: readonly Linter.Config[];
  };
  const ofOperations = configs.find(({ files }) => files?.includes('src/operation/**/*.ts'));
  const refused = new Linter()
    .verify(code.join('\n'), { languageOptions: { parser }, rules: { ...ofOperations?.rules } })
    .map(({ line }) => line);
  expect([...new Set(refused)].map((line) => code[line - 1])).toEqual(ways);
});
