import { invalidRequest } from '../access/invalid.ts';
import { bucketTarget, providerTarget, type Targets } from '../access/target.ts';
import { resourceKindOf, type AtomicAction } from '../policy/model/action.ts';
import type { Unnamed } from '../policy/answers/explain.ts';
import type { Resource } from '../policy/model/resource.ts';
import type { OperationInput } from '../wire/operations.ts';

type Question = Pick<OperationInput<'policy/explain'>, 'action' | 'provider' | 'bucket' | 'prefix' | 'key'>;

/**
 * The resource or place that an administrator's question is about.
 *
 * @throws {SvcError} `invalid_request` when the bucket or the key that the action is asked on is missing.
 */
export function askedPlace(action: AtomicAction, question: Question, at: Targets): Resource | Unnamed {
  return unnamedIn(action, question, at) ?? resourceOf(action, question, at);
}

/** The place of a question that names no bucket or key for the action; undefined when the question names one or has to name one. */
function unnamedIn(
  action: AtomicAction,
  { action: asked, provider, bucket, prefix, key }: Question,
  at: Targets,
): Unnamed | undefined {
  const kind = resourceKindOf(action);
  if (key !== undefined && prefix !== undefined)
    throw invalidRequest({ path: '', message: 'give either `prefix` or `key`' });
  if (kind === 'object' && key === undefined && bucket !== undefined && (asked === undefined || prefix !== undefined))
    return at.beneath(provider, bucket, prefix ?? '');
  return asked === undefined && kind !== 'provider' && bucket === undefined
    ? { provider: providerTarget(provider).provider }
    : undefined;
}

/** @throws {SvcError} `invalid_request` when the bucket or the key that the action is asked on is missing. */
function resourceOf(action: AtomicAction, { provider, bucket, key }: Question, at: Targets): Resource {
  const kind = resourceKindOf(action);
  if (kind === 'provider') return providerTarget(provider);
  if (bucket === undefined)
    throw invalidRequest({
      path: 'bucket',
      message: `\`${action}\` applies to ${kind === 'bucket' ? 'a bucket' : 'an object'}: name the bucket`,
    });
  if (kind === 'bucket') return bucketTarget(provider, bucket);
  if (key === undefined)
    throw invalidRequest({ path: 'key', message: `\`${action}\` applies to an object: name its key` });
  return at.object(provider, bucket, key);
}
