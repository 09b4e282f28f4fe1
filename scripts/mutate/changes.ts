import ts from 'typescript';
import type { Kind } from './mutant.ts';

/** A change of one node: what it becomes. */
export type Change = { readonly kind: Kind; readonly node: ts.Node; readonly replacement: string };

const { SyntaxKind } = ts;

const OPERATORS = new Map<ts.SyntaxKind, readonly [Kind, string]>([
  [SyntaxKind.LessThanToken, ['boundary', '<=']],
  [SyntaxKind.LessThanEqualsToken, ['boundary', '<']],
  [SyntaxKind.GreaterThanToken, ['boundary', '>=']],
  [SyntaxKind.GreaterThanEqualsToken, ['boundary', '>']],
  [SyntaxKind.AmpersandAmpersandToken, ['operator', '||']],
  [SyntaxKind.BarBarToken, ['operator', '&&']],
  [SyntaxKind.EqualsEqualsEqualsToken, ['operator', '!==']],
  [SyntaxKind.ExclamationEqualsEqualsToken, ['operator', '===']],
  [SyntaxKind.MinusToken, ['operator', '+']],
  [SyntaxKind.AsteriskToken, ['operator', '/']],
]);

const OTHER_NAME = new Map([
  ['some', 'every'],
  ['every', 'some'],
  ['startsWith', 'endsWith'],
  ['endsWith', 'startsWith'],
  ['min', 'max'],
  ['max', 'min'],
]);

/** Methods that give something like what they were called on, so that the program still runs without them. */
const LEFT_OUT = new Set(['filter', 'toLowerCase', 'trim', 'toSorted', 'slice', 'catch', 'finally']);

const COMPARISONS: ReadonlySet<ts.SyntaxKind> = new Set(
  [...OPERATORS.keys()].filter((kind) => kind !== SyntaxKind.MinusToken && kind !== SyntaxKind.AsteriskToken),
);

/** Every change of this node itself; its children have their own. */
export function changesOf(node: ts.Node): readonly Change[] {
  if (ts.isIfStatement(node) || ts.isWhileStatement(node)) return conditions(node.expression);
  if (ts.isConditionalExpression(node)) return conditions(node.condition);
  if (ts.isBinaryExpression(node)) return [...operators(node), ...defaults(node)];
  if (ts.isPrefixUnaryExpression(node) && node.operator === SyntaxKind.ExclamationToken)
    return [{ kind: 'operator', node, replacement: node.operand.getText() }];
  if (ts.isThrowStatement(node)) return [{ kind: 'throw removed', node, replacement: ';' }];
  if (ts.isContinueStatement(node)) return [{ kind: 'call removed', node, replacement: ';' }];
  if (ts.isExpressionStatement(node)) return statements(node);
  if (ts.isReturnStatement(node))
    return node.expression === undefined
      ? [{ kind: 'call removed', node, replacement: ';' }]
      : constants(node.expression);
  if (ts.isArrowFunction(node) && !ts.isBlock(node.body)) return constants(node.body);
  if (ts.isCallExpression(node)) return calls(node);
  return literals(node);
}

const conditions = (node: ts.Expression): readonly Change[] =>
  ['true', 'false']
    .filter((replacement) => node.getText() !== replacement)
    .map((replacement) => ({ kind: 'condition', node, replacement }));

function operators({ operatorToken }: ts.BinaryExpression): readonly Change[] {
  const other = OPERATORS.get(operatorToken.kind);
  return other === undefined ? [] : [{ kind: other[0], node: operatorToken, replacement: other[1] }];
}

/** `a ?? b` without its default. */
const defaults = (node: ts.BinaryExpression): readonly Change[] =>
  node.operatorToken.kind === SyntaxKind.QuestionQuestionToken
    ? [{ kind: 'operator', node, replacement: node.left.getText() }]
    : [];

function statements(node: ts.ExpressionStatement): readonly Change[] {
  const removed: Change = { kind: 'call removed', node, replacement: ';' };
  return ts.isAwaitExpression(node.expression) ? [removed, withoutAwait(node.expression)] : [removed];
}

const withoutAwait = (node: ts.AwaitExpression): Change => ({
  kind: 'await removed',
  node,
  replacement: `void ${node.expression.getText()}`,
});

/** What a predicate answers. */
function constants(expression: ts.Expression): readonly Change[] {
  const node = ts.isParenthesizedExpression(expression) ? expression.expression : expression;
  const isPredicate =
    (ts.isBinaryExpression(node) && COMPARISONS.has(node.operatorToken.kind)) ||
    (ts.isPrefixUnaryExpression(node) && node.operator === SyntaxKind.ExclamationToken);
  return isPredicate ? conditions(node).map((change) => ({ ...change, kind: 'returned constant' })) : [];
}

function calls({ expression: callee }: ts.CallExpression): readonly Change[] {
  if (!ts.isPropertyAccessExpression(callee)) return [];
  const other = OTHER_NAME.get(callee.name.text);
  if (other !== undefined) return [{ kind: 'operator', node: callee.name, replacement: other }];
  return LEFT_OUT.has(callee.name.text)
    ? [{ kind: 'call removed', node: callee.parent, replacement: callee.expression.getText() }]
    : [];
}

function literals(node: ts.Node): readonly Change[] {
  if (node.kind === SyntaxKind.TrueKeyword) return [{ kind: 'literal', node, replacement: 'false' }];
  if (node.kind === SyntaxKind.FalseKeyword) return [{ kind: 'literal', node, replacement: 'true' }];
  if (ts.isNumericLiteral(node)) return [{ kind: 'literal', node, replacement: String(Number(node.text) + 1) }];
  if (ts.isStringLiteral(node))
    return isRead(node) ? [] : [{ kind: 'literal', node, replacement: node.text === '' ? "'changed'" : "''" }];
  if (ts.isRegularExpressionLiteral(node)) return looser(node);
  return [];
}

/** A text for people: the message of an error or of a log line, or a description. Its wording is not behaviour. */
function isRead(node: ts.StringLiteral): boolean {
  if (node.text.includes(' ')) return true;
  const { parent } = node;
  return (
    ts.isImportDeclaration(parent) ||
    (ts.isPropertyAssignment(parent) && (parent.name === node || parent.name.getText() === 'description'))
  );
}

/** The expression without one of its anchors or without its flags. */
function looser(node: ts.RegularExpressionLiteral): readonly Change[] {
  const end = node.text.lastIndexOf('/');
  const [body, flags] = [node.text.slice(1, end), node.text.slice(end + 1)];
  const changed = [
    body.startsWith('^') ? `/${body.slice(1)}/${flags}` : undefined,
    body.endsWith('$') ? `/${body.slice(0, -1)}/${flags}` : undefined,
    flags.includes('i') ? `/${body}/${flags.replace('i', '')}` : undefined,
  ];
  return changed.flatMap((replacement) =>
    replacement === undefined ? [] : [{ kind: 'regular expression', node, replacement }],
  );
}
