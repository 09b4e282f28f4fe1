import { ATOMIC_ACTIONS, type AtomicAction } from '../../policy/model/action.ts';
import { isEach } from '../../policy/model/each.ts';
import type { Selector, WrittenSelector } from '../../policy/model/resource.ts';
import type { WrittenRule } from '../../policy/model/rule.ts';
import { counterpartOf, readAction, S3_ACTIONS } from './iam-actions.ts';
import { readDocument, type IamFault, type Statement } from './iam-document.ts';
import { isArnOrStar, readResource, type IamResource } from './iam-resource.ts';
import { didYouMean } from '../read/nearest.ts';

/** Normalized rules, or the faults that refuse the whole document; and notes for the operator. */
export type IamImport = {
  readonly rules: readonly WrittenRule[];
  readonly faults: readonly IamFault[];
  readonly notes: readonly string[];
};

/**
 * Imports an AWS IAM policy document as equivalent rules, or refuses all of it.
 *
 * It never drops a deny and never widens an allow. An action without a counterpart gives nothing, and a note says so.
 *
 * @param provider - storage provider of the document; undefined for all of `providers`.
 * @param providers - names of the configured storage providers.
 */
export function importIam(document: unknown, provider: string | undefined, providers: readonly string[]): IamImport {
  const { statements, faults } = readDocument(document);
  const target: Target =
    provider === undefined
      ? { whole: { type: 'all' }, providers }
      : { whole: { type: 'provider', provider }, providers: [provider] };
  const parts = statements.map((statement) => importStatement(statement, target));
  const found = [...faults, ...parts.flatMap((part) => part.faults)];
  return {
    rules: found.length > 0 ? [] : parts.flatMap((part) => part.rules),
    faults: found,
    notes: parts.flatMap((part) => part.notes),
  };
}

/** The selector for `*`, and the providers to which buckets belong. */
type Target = { readonly whole: Selector; readonly providers: readonly string[] };

type Given = ReadonlySet<AtomicAction>;
type S3Actions = Readonly<Record<'account' | 'bucket' | 'object', Given>>;

function importStatement(statement: Statement, target: Target): IamImport {
  const { faults, notes, actions, aboutS3 } = readActions(statement);
  const resources = readResources(statement, aboutS3, faults);
  const rules = rulesOf(statement, actions, resources, target);
  const { index, prefixes } = statement;
  if (prefixes !== undefined && resources.some(({ kind }) => kind !== 'bucket'))
    faults.push({
      code: 'condition',
      statement: index,
      path: `${statement.path}.Condition`,
      message: 'a condition on `s3:prefix` is supported only in a statement whose resources are all buckets',
    });
  if (rules.some((rule) => rule.resources.some(isEach)))
    notes.push(`statement ${index}: \`\${aws:username}\` stands for the subject of the person`);
  if (faults.length === 0) notes.push(...idleActions(statement, resources));
  return { rules, faults, notes };
}

function readActions(statement: Statement) {
  const { index, path, effect } = statement;
  const faults: IamFault[] = [];
  const notes: string[] = [];
  const actions = {
    account: new Set<AtomicAction>(),
    bucket: new Set<AtomicAction>(),
    object: new Set<AtomicAction>(),
  } satisfies S3Actions;
  const gives = effect === 'allow' ? 'it allows nothing here' : 'it denies nothing here';
  let aboutS3 = false;
  for (const text of statement.actions) {
    const action = readAction(text);
    if (action.kind === 'malformed') {
      faults.push({
        code: 'action_form',
        statement: index,
        path: `${path}.Action`,
        message: `\`${text}\` is not an action such as \`s3:GetObject\``,
      });
      continue;
    }
    if (action.kind === 'other_service') {
      notes.push(`statement ${index}: \`${text}\` is about another service; ${gives}`);
      continue;
    }
    aboutS3 = true;
    for (const name of action.names) {
      const counterpart = counterpartOf(name, effect);
      if (counterpart !== undefined) for (const given of counterpart.gives) actions[counterpart.on].add(given);
    }
    if (action.names.length === 0) {
      const unknown = `S3 has no action \`${text}\`${didYouMean(
        text,
        S3_ACTIONS.map((name) => `s3:${name}`),
      )}`;
      if (effect === 'deny')
        faults.push({
          code: 'unknown_action',
          statement: index,
          path: `${path}.Action`,
          message: `${unknown.replace(/\?$/, '')}; this deny would never do anything`,
        });
      else notes.push(`statement ${index}: ${unknown.replace(/\?$/, '')}; ${gives}`);
    } else if (!action.names.some((name) => counterpartOf(name, effect) !== undefined)) {
      notes.push(`statement ${index}: \`${text}\` has no counterpart; ${gives}`);
    }
  }
  return { faults, notes, actions, aboutS3 };
}

/** Resources on which no S3 action is asked only need to look like resources. */
function readResources({ index, path, resources }: Statement, aboutS3: boolean, faults: IamFault[]): IamResource[] {
  const read: IamResource[] = [];
  for (const text of resources) {
    if (!aboutS3) {
      if (!isArnOrStar(text))
        faults.push({
          code: 'resource_form',
          statement: index,
          path: `${path}.Resource`,
          message: `\`${text}\` is neither \`*\` nor an ARN`,
        });
      continue;
    }
    const resource = readResource(text);
    if ('code' in resource)
      faults.push({ code: resource.code, statement: index, path: `${path}.Resource`, message: resource.message });
    else read.push(resource);
  }
  return read;
}

/** An action gives something only on the kind of resource that S3 asks it on: `s3:GetObject` on a bucket's ARN gives nothing. */
function rulesOf(
  { effect, prefixes }: Pick<Statement, 'effect' | 'prefixes'>,
  { account, bucket, object }: S3Actions,
  resources: readonly IamResource[],
  target: Target,
): WrittenRule[] {
  const onEach = (selector: (provider: string) => WrittenSelector) => target.providers.map(selector);
  const places = (kind: IamResource['kind']) =>
    resources
      .filter((resource) => resource.kind === kind)
      .flatMap((resource) => selectorsOf(resource, target.whole, onEach));
  const rule = (held: Iterable<AtomicAction>, selectors: readonly WrittenSelector[]): WrittenRule[] => {
    const given = new Set(held);
    return given.size === 0 || selectors.length === 0
      ? []
      : [{ effect, actions: ATOMIC_ACTIONS.filter((action) => given.has(action)), resources: selectors }];
  };
  return [
    ...rule([...account, ...bucket, ...object], places('everything').slice(0, 1)),
    ...rule(object, places('all_objects').slice(0, 1)),
    ...rule(
      bucket,
      prefixes === undefined
        ? places('bucket')
        : resources.flatMap((resource) =>
            resource.kind === 'bucket'
              ? prefixes.flatMap((prefix) =>
                  selectorsOf({ kind: 'prefix', bucket: resource.bucket, ...prefix }, target.whole, onEach),
                )
              : [],
          ),
    ),
    ...rule(object, [...places('prefix'), ...places('object')]),
  ];
}

function selectorsOf(
  resource: IamResource,
  whole: Selector,
  onEach: (selector: (provider: string) => WrittenSelector) => WrittenSelector[],
): WrittenSelector[] {
  switch (resource.kind) {
    case 'everything':
    case 'all_objects':
      return [whole];
    case 'bucket':
      return onEach((provider) => ({ type: 'bucket', provider, bucket: resource.bucket }));
    case 'prefix':
      return onEach((provider) => ({
        type: 'prefix',
        provider,
        bucket: resource.bucket,
        prefix: resource.prefix,
        ...(resource.each !== undefined && { each: resource.each }),
      }));
    case 'object':
      return onEach((provider) => ({ type: 'object', provider, bucket: resource.bucket, key: resource.key }));
  }
}

const ASKED_ON: Readonly<
  Record<'account' | 'bucket' | 'object', { readonly kinds: readonly IamResource['kind'][]; readonly example: string }>
> = {
  account: { kinds: ['everything'], example: '*' },
  bucket: { kinds: ['everything', 'bucket'], example: 'arn:aws:s3:::bucket' },
  object: { kinds: ['everything', 'all_objects', 'prefix', 'object'], example: 'arn:aws:s3:::bucket/*' },
};

/** Notes about actions that S3 asks on another kind of resource than the statement names. They have no effect, which is probably a mistake. */
function idleActions({ index, effect, actions }: Statement, resources: readonly IamResource[]): string[] {
  return actions.flatMap((text) => {
    const action = readAction(text);
    const held = action.kind === 's3' ? action.names.flatMap((name) => counterpartOf(name, effect)?.on ?? []) : [];
    if (held.length === 0 || held.some((on) => resources.some(({ kind }) => ASKED_ON[on].kinds.includes(kind))))
      return [];
    const wanted = [...new Set(held)].map((on) => `\`${ASKED_ON[on].example}\``).join(' or ');
    return [
      `statement ${index}: \`${text}\` applies to a resource such as ${wanted}, and the statement names none; it ${effect === 'allow' ? 'allows' : 'denies'} nothing`,
    ];
  });
}
