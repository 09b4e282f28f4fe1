import { CliFailure, EXIT } from '../terminal/cli-failure.ts';
import type { Connection } from '../../client/connection.ts';
import { remoteText, type RemotePath } from '../argument/remote-path.ts';

/**
 * Explains an empty answer: the service answers with an empty list for an empty bucket or provider, for one in which the caller may list nothing, and for a
 * missing one.
 *
 * @param place - undefined for the list of providers.
 * @throws {CliFailure} `not_found`: nothing there may be listed, or no key begins with the given one.
 */
export async function explainEmptyList(connection: Connection, place: RemotePath | undefined): Promise<void> {
  if (place === undefined)
    throw new CliFailure(
      EXIT.failed,
      'there is no provider that you may see; name a bucket, PROVIDER/BUCKET, if you may use one',
      'not_found',
    );
  const { provider, bucket, key } = place;
  const scope = bucket === undefined ? { provider } : { provider, bucket, prefix: key };
  const [needed, name] =
    bucket === undefined ? (['buckets:list', 'buckets:read'] as const) : (['objects:list', 'objects:list'] as const);
  const answer = await connection.call('permission/list', scope);
  const mayList = 'actions' in answer && answer.actions.includes(name);
  const at = `at \`${remoteText(place)}\` that you may`;
  const nothing = bucket === undefined ? `there are no buckets ${at} see` : `there is nothing ${at} list`;
  if (!mayList)
    throw new CliFailure(EXIT.failed, `${nothing}; check the name, or ask for \`${needed}\` there`, 'not_found');
  // A bucket may be empty, but a prefix without any key is probably a mistake.
  if (key !== '') throw new CliFailure(EXIT.failed, nothing, 'not_found');
}
