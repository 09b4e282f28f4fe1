import { resourceKindOf, type AtomicAction } from '../policy/action.ts';
import type { Resource } from '../policy/resource.ts';
import { usageFault } from './cli-failure.ts';
import { parseRemote } from './remote-path.ts';

/** The resource of the kind that the action is asked on. @throws {CliFailure} usage */
export function resourceFor(action: AtomicAction, path: string): Resource {
  const { provider, bucket, key } = parseRemote(path);
  const kind = resourceKindOf(action);
  if (kind === 'provider' && bucket === undefined) return { kind, provider };
  if (kind === 'bucket' && bucket !== undefined && key === '') return { kind, provider, bucket };
  if (kind === 'object' && bucket !== undefined && key !== '') return { kind, provider, bucket, key };
  const form = { provider: 'PROVIDER', bucket: 'PROVIDER/BUCKET', object: 'PROVIDER/BUCKET/KEY' }[kind];
  throw usageFault(`\`${action}\` is asked on ${kind === 'object' ? 'an' : 'a'} ${kind}: write \`${form}\` in place of \`${path}\``);
}

