import { isDeepStrictEqual } from 'node:util';
import { deniesToGroups } from '../policy/group-deny.ts';
import type { Settings } from './settings.ts';

/** The configuration holds something that the running service cannot take over. */
export class RestartNeeded extends Error {
  override readonly name = 'RestartNeeded';
}

/** What a running service takes over; all else is chosen at the start. */
const RELOADABLE: ReadonlySet<string> = new Set(['policy', 'providers'] satisfies (keyof Settings)[]);

/** Checks that settings differ from the present ones in policies, roles, bindings and providers alone. @throws {RestartNeeded} */
export function requireReloadable(present: Settings, next: Settings): void {
  const changed = Object.keys(next).filter((name) => !RELOADABLE.has(name) && !isDeepStrictEqual(present[name as keyof Settings], next[name as keyof Settings]));
  if (changed.length > 0) throw new RestartNeeded(`${changed.map((name) => `\`${name}\``).join(', ')} changed, which needs a restart; nothing was taken over`);
  const dots = new Map(present.providers.map(({ name, dotSegments }) => [name, dotSegments]));
  const other = next.providers.find(({ name, dotSegments }) => dots.has(name) && dots.get(name) !== dotSegments);
  // A request under way may have been decided about a key that the other setting reads as another one.
  if (other !== undefined) throw new RestartNeeded(`\`dot_segments\` of the provider \`${other.name}\` changed, which needs a restart; nothing was taken over`);
  // Sessions that began before may lack groups that the identity provider left out: a deny that is bound to one of them would be missed.
  if (deniesToGroups(next.policy) && !deniesToGroups(present.policy)) throw new RestartNeeded('a policy denies something to a group for the first time, which needs a restart, and new sign-ins and API keys where the identity provider left groups out; nothing was taken over');
}
