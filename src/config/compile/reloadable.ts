import { isDeepStrictEqual } from 'node:util';
import { deniesToGroups } from '../../policy/index/group-deny.ts';
import type { Settings } from '../read/settings.ts';

/** Thrown when the running service cannot apply a change of the configuration. */
export class RestartNeeded extends Error {
  override readonly name = 'RestartNeeded';
}

/**
 * Checks that settings differ from the current ones only in policies, roles, bindings, providers, and the secrets of sign-in and of S3 keys.
 *
 * @throws {RestartNeeded}
 */
export function requireReloadable(present: Settings, next: Settings): void {
  const [before, after] = [chosenAtStart(present), chosenAtStart(next)];
  const changed = Object.keys(after).filter((name) => !isDeepStrictEqual(before[name], after[name]));
  if (changed.length > 0)
    throw new RestartNeeded(
      `${changed.map((name) => `\`${asInFile(name)}\``).join(', ')} changed, which needs a restart; no change was applied`,
    );
  const dots = new Map(present.providers.map(({ name, dotSegments }) => [name, dotSegments]));
  const other = next.providers.find(({ name, dotSegments }) => dots.has(name) && dots.get(name) !== dotSegments);
  // A running request may have been decided about a key that is a different one under the other setting.
  if (other !== undefined)
    throw new RestartNeeded(
      `\`dot_segments\` of the provider \`${other.name}\` changed, which needs a restart; no change was applied`,
    );
  // Existing sessions may lack groups that the identity provider left out, so a deny that is bound to one of them would be missed.
  if (deniesToGroups(next.policy) && !deniesToGroups(present.policy))
    throw new RestartNeeded(
      'a policy denies something to a group for the first time, which needs a restart, and new sign-ins and API keys where the identity provider left groups out; no change was applied',
    );
}

/** The settings that a running service cannot change. `auth` is split into its members, so that messages name the changed one. */
function chosenAtStart({
  policy: _policy,
  providers: _providers,
  auth: { sessionSecrets: _sessionSecrets, oidc, ...auth },
  s3,
  ...settings
}: Settings): Readonly<Record<string, unknown>> {
  const { clientSecret: _clientSecret, ...client } = oidc ?? {};
  const { secrets: _secrets, ...endpoint } = s3 ?? {};
  return {
    ...settings,
    s3: endpoint,
    ...Object.fromEntries(Object.entries({ ...auth, oidc: client }).map(([name, value]) => [`auth.${name}`, value])),
  };
}

/** `auth.apiKeys` is `auth.api_keys` in the file. */
function asInFile(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
