import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { changesOf } from './changes.ts';
import type { Mutant } from './mutant.ts';

/** Every mutant of a folder of `src`, file by file. */
export function mutantsOfFolder(root: string, folder: string): readonly Mutant[] {
  const files = globSync(`src/${folder}/**/*.ts`, { cwd: root }).sort();
  if (files.length === 0) throw new Error(`src/${folder} has no TypeScript file`);
  return files.flatMap((file) => mutantsOf(file, readFileSync(join(root, file), 'utf8')));
}

/** Every mutant of one file. Types and imports have none. */
export function mutantsOf(file: string, text: string): readonly Mutant[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const mutants: Mutant[] = [];
  const visit = (node: ts.Node): void => {
    if (
      ts.isTypeNode(node) ||
      ts.isTypeAliasDeclaration(node) ||
      ts.isInterfaceDeclaration(node) ||
      ts.isImportDeclaration(node) ||
      ts.isExportDeclaration(node)
    )
      return;
    for (const { kind, node: changed, replacement } of changesOf(node)) {
      const [start, end] = [changed.getStart(), changed.getEnd()];
      mutants.push({
        file,
        line: source.getLineAndCharacterOfPosition(start).line + 1,
        kind,
        start,
        end,
        original: changed.getText(),
        replacement,
      });
    }
    node.forEachChild(visit);
  };
  visit(source);
  return mutants;
}
