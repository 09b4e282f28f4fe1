import { readCondition } from './iam-condition.ts';
import type { IamPrefix, ResourceCode } from './iam-resource.ts';

/** The reasons for refusing a document. */
export type IamCode =
  | ResourceCode
  | 'document_form'
  | 'version'
  | 'statement_empty'
  | 'statement_form'
  | 'statement_id'
  | 'unknown_member'
  | 'effect'
  | 'action_form'
  | 'unknown_action'
  | 'condition'
  | 'not_action'
  | 'not_resource'
  | 'principal';

export type IamFault = {
  readonly code: IamCode;
  /** Index of the statement, from 0; undefined for the whole document. */
  readonly statement: number | undefined;
  /** The place in the document, such as `Statement.0.Condition`. */
  readonly path: string;
  readonly message: string;
};

/** A statement with readable actions and resources; there may be faults about its other members. */
export type Statement = {
  readonly index: number;
  /** Its path in the document: `Statement` when it is the only one and not in a list. */
  readonly path: string;
  readonly effect: 'allow' | 'deny';
  readonly actions: readonly string[];
  readonly resources: readonly string[];
  /** When set, the statement only concerns listings with these prefixes. */
  readonly prefixes: readonly IamPrefix[] | undefined;
};

const VERSION = '2012-10-17';

/** Members of IAM that cannot be imported. */
const REFUSED: ReadonlyMap<string, { readonly code: IamCode; readonly message: string }> = new Map([
  ['NotAction', { code: 'not_action', message: '`NotAction` is not supported; name the actions in `Action`' }],
  [
    'NotResource',
    { code: 'not_resource', message: '`NotResource` is not supported; name the resources in `Resource`' },
  ],
  [
    'Principal',
    { code: 'principal', message: 'a principal belongs to a bucket policy; say who is meant in `bindings`' },
  ],
  [
    'NotPrincipal',
    { code: 'principal', message: 'a principal belongs to a bucket policy; say who is meant in `bindings`' },
  ],
]);

const MEMBERS: readonly string[] = ['Sid', 'Effect', 'Action', 'Resource', 'Condition'];

/** Reads the outer form of an IAM document: members, effect, lists. Any fault refuses the whole document. */
export function readDocument(document: unknown): {
  readonly statements: readonly Statement[];
  readonly faults: readonly IamFault[];
} {
  const faults: IamFault[] = [];
  const fault = (code: IamCode, path: string, message: string) =>
    void faults.push({ code, statement: undefined, path, message });
  if (!isMapping(document)) {
    fault('document_form', '', 'an IAM document is a JSON object with `Version` and `Statement`');
    return { statements: [], faults };
  }
  for (const member of Object.keys(document)) {
    if (!['Version', 'Id', 'Statement'].includes(member))
      fault('unknown_member', member, 'an IAM document has no such member');
  }
  if (member(document, 'Version') !== VERSION) fault('version', 'Version', `must be \`${VERSION}\``);
  const id = member(document, 'Id');
  if (id !== undefined && typeof id !== 'string') fault('document_form', 'Id', 'must be a text');

  const written = member(document, 'Statement');
  const list: readonly unknown[] = Array.isArray(written) ? written : written === undefined ? [] : [written];
  if (list.length === 0) fault('statement_empty', 'Statement', 'the document has no statement');
  const statements = list.flatMap((statement, index) =>
    readStatement(statement, index, Array.isArray(written) ? `Statement.${index}` : 'Statement', faults),
  );
  refuseRepeatedIds(list, faults);
  return { statements, faults };
}

function readStatement(statement: unknown, index: number, path: string, faults: IamFault[]): Statement[] {
  const fault = (code: IamCode, name: string, message: string) =>
    void faults.push({ code, statement: index, path: name === '' ? path : `${path}.${name}`, message });
  if (!isMapping(statement)) {
    fault('statement_form', '', 'a statement is an object with `Effect`, `Action` and `Resource`');
    return [];
  }
  for (const name of Object.keys(statement)) {
    const refused = REFUSED.get(name);
    if (refused !== undefined) fault(refused.code, name, refused.message);
    else if (!MEMBERS.includes(name)) fault('unknown_member', name, 'a statement has no such member');
  }
  const sid = member(statement, 'Sid');
  if (sid !== undefined && typeof sid !== 'string') fault('statement_id', 'Sid', 'must be a text');
  const effect = member(statement, 'Effect');
  if (effect !== 'Allow' && effect !== 'Deny') fault('effect', 'Effect', 'must be `Allow` or `Deny`, in these letters');
  const actions = texts(member(statement, 'Action'));
  if (actions === undefined && !Object.hasOwn(statement, 'NotAction'))
    fault('statement_form', 'Action', 'must be a text or a list of texts, and not empty');
  const resources = texts(member(statement, 'Resource'));
  if (resources === undefined && !Object.hasOwn(statement, 'NotResource'))
    fault('statement_form', 'Resource', 'must be a text or a list of texts, and not empty');
  const condition = Object.hasOwn(statement, 'Condition')
    ? readCondition(member(statement, 'Condition'), effect, actions ?? [])
    : undefined;
  if (condition?.fault !== undefined) fault('condition', 'Condition', condition.fault);
  if (actions === undefined || resources === undefined) return [];
  return [
    { index, path, effect: effect === 'Deny' ? 'deny' : 'allow', actions, resources, prefixes: condition?.prefixes },
  ];
}

function refuseRepeatedIds(statements: readonly unknown[], faults: IamFault[]): void {
  const seen = new Set<string>();
  for (const [index, statement] of statements.entries()) {
    const sid = isMapping(statement) ? member(statement, 'Sid') : undefined;
    if (typeof sid !== 'string' || sid === '') continue;
    if (seen.has(sid))
      faults.push({
        code: 'statement_id',
        statement: index,
        path: `Statement.${index}.Sid`,
        message: 'another statement has this `Sid` already',
      });
    seen.add(sid);
  }
}

function isMapping(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function member(object: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

function texts(value: unknown): readonly string[] | undefined {
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  return list.length > 0 && list.every((item) => typeof item === 'string') ? list : undefined;
}
