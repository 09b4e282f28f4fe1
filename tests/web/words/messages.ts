import { readdirSync, readFileSync } from 'node:fs';
import ts from 'typescript';

const root = new URL('../../../src/web/', import.meta.url);

/** A message of the UI's code, in English. `one` is the form for one thing, of messages with a count. */
export type Message = { readonly message: string; readonly one: string | undefined; readonly where: string };

/** Every message that the code of the UI says, and every text in it that goes past the catalogue. */
export function readMessages(): { readonly messages: readonly Message[]; readonly bare: readonly string[] } {
  const messages: Message[] = [];
  const bare: string[] = [];
  for (const file of readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
    (name) => /\.tsx?$/.test(name) && !/^(words\/|vite\.config)/.test(name),
  )) {
    const source = ts.createSourceFile(
      file,
      readFileSync(new URL(file, root), 'utf8'),
      ts.ScriptTarget.Latest,
      true,
      ts.ScriptKind.TSX,
    );
    const placeOf = (node: ts.Node) => `${file}:${source.getLineAndCharacterOfPosition(node.getStart()).line + 1}`;
    const visit = (node: ts.Node): void => {
      const called = ts.isCallExpression(node) && ts.isIdentifier(node.expression) ? node.expression.text : undefined;
      if (ts.isCallExpression(node) && (called === 't' || called === 'rich'))
        messages.push({ message: textOf(node.arguments[0]), one: undefined, where: placeOf(node) });
      if (ts.isCallExpression(node) && called === 'plural')
        messages.push({ message: textOf(node.arguments[2]), one: textOf(node.arguments[1]), where: placeOf(node) });
      if (isBare(node)) bare.push(`${placeOf(node)} ${node.getText().trim()}`);
      ts.forEachChild(node, visit);
    };
    visit(source);
  }
  return { messages, bare };
}

function textOf(node: ts.Node | undefined): string {
  if (node !== undefined && ts.isStringLiteralLike(node)) return node.text;
  throw new Error(`a message is no plain text: ${node?.getText()}`);
}

/** Attributes that people read or hear. */
const READ = /^(?:label|title|placeholder|description|lead|none|submitLabel|aria-label)$/;

/** Words for people that are no message: between tags, but for code, and in attributes that are read. */
function isBare(node: ts.Node): boolean {
  if (ts.isJsxText(node))
    return (
      /\p{L}{2}/u.test(node.text) &&
      !(ts.isJsxElement(node.parent) && node.parent.openingElement.tagName.getText() === 'Code')
    );
  return (
    ts.isJsxAttribute(node) &&
    READ.test(node.name.getText()) &&
    node.initializer !== undefined &&
    ts.isStringLiteral(node.initializer) &&
    /\p{Ll}{2}/u.test(node.initializer.text)
  );
}
