import { isDeepStrictEqual } from 'node:util';
import { deniesToGroups } from '../policy/group-deny.ts';
import type { Settings } from './settings.ts';

/** The configuration holds something that the running service cannot take over. */
export class RestartNeeded extends Error {
  override readonly name = 'RestartNeeded';
}

/** Checks that settings differ from the present ones in policies, roles, bindings, providers and the secrets of sign-in alone. @throws {RestartNeeded} */
export function requireReloadable(present: Settings, next: Settings): void {
  const [before, after] = [chosenAtStart(present), chosenAtStart(next)];
  const changed = Object.keys(after).filter((name) => !isDeepStrictEqual(before[name], after[name]));
  if (changed.length > 0) throw new RestartNeeded(`${changed.map((name) => `\`${asInFile(name)}\``).join(', ')} changed, which needs a restart; nothing was taken over`);
  const dots = new Map(present.providers.map(({ name, dotSegments }) => [name, dotSegments]));
  const other = next.providers.find(({ name, dotSegments }) => dots.has(name) && dots.get(name) !== dotSegments);
  // A request under way may have been decided about a key that the other setting reads as another one.
  if (other !== undefined) throw new RestartNeeded(`\`dot_segments\` of the provider \`${other.name}\` changed, which needs a restart; nothing was taken over`);
  // Sessions that began before may lack groups that the identity provider left out: a deny that is bound to one of them would be missed.
  if (deniesToGroups(next.policy) && !deniesToGroups(present.policy)) throw new RestartNeeded('a policy denies something to a group for the first time, which needs a restart, and new sign-ins and API keys where the identity provider left groups out; nothing was taken over');
}

/** What a running service does not take over. `auth` is told by its members, because most of its changes are changes of one. */
function chosenAtStart({ policy: _policy, providers: _providers, auth: { sessionSecrets: _sessionSecrets, oidc, ...auth }, ...settings }: Settings): Readonly<Record<string, unknown>> {
  const { clientSecret: _clientSecret, ...client } = oidc ?? {};
  return { ...settings, ...Object.fromEntries(Object.entries({ ...auth, oidc: client }).map(([name, value]) => [`auth.${name}`, value])) };
}

/** `auth.apiKeys` stands in the file as `auth.api_keys`. */
function asInFile(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
