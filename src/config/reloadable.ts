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
  // Sessions that began before may lack groups that the identity provider left out: a deny that is bound to one of them would be missed.
  if (deniesToGroups(next.policy) && !deniesToGroups(present.policy)) throw new RestartNeeded('a policy denies something to a group for the first time, which needs a restart; nothing was taken over');
}
