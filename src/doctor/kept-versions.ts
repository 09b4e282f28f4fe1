import type { Settings } from '../config/read/settings.ts';
import { versioningOf } from '../storage/bucket-info.ts';
import type { BucketRef } from '../storage/provider.ts';
import type { Findings } from './finding.ts';

/** Warns of a bucket in which people may delete objects, and which keeps nothing of them. */
export async function examineKept(place: BucketRef, settings: Settings, findings: Findings): Promise<void> {
  const { bucket, provider } = place;
  if (!mayDelete(settings, provider.name, bucket)) return;
  const versioning = await versioningOf(place, {});
  if (versioning === 'never' || versioning === 'suspended')
    findings.warn(
      `\`${bucket}\` keeps no versions, and people may delete and overwrite objects in it for ever; turn versioning on as docs/versions.md says, or make backups`,
    );
}

/** Whether a policy that somebody has allows deletions in the bucket. A deny elsewhere may still forbid them to everybody, which is rare and makes the warning only superfluous. */
function mayDelete({ auth, policy }: Settings, provider: string, bucket: string): boolean {
  if (!auth.enabled || !policy.enabled) return true;
  const ofRoles = (names: readonly string[]) =>
    policy.roles.flatMap(({ name, policies }) => (names.includes(name) ? policies : []));
  const held = new Set([
    ...policy.bindings.flatMap((binding) => ('role' in binding ? ofRoles([binding.role]) : binding.policies)),
    ...policy.localUsers.flatMap(({ roles }) => ofRoles(roles)),
  ]);
  return policy.policies.some(
    ({ name, rules }) =>
      held.has(name) &&
      rules.some(
        ({ effect, actions, resources }) =>
          effect === 'allow' &&
          actions.includes('objects:delete') &&
          resources.some(
            (place) =>
              place.type === 'all' ||
              (place.provider === provider && (place.type === 'provider' || place.bucket === bucket)),
          ),
      ),
  );
}
