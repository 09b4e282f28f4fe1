import { bucketFault, type DotSegments } from '../../policy/model/name.ts';
import type { Faults, Warn } from '../read/fault.ts';
import { KnownNames } from '../read/nearest.ts';
import type { Config } from '../schema/schema.ts';

/** The buckets that a configuration names for a provider, and their owners. */
export type ConfiguredBuckets = {
  readonly provider: string;
  readonly dotSegments: DotSegments;
  /** The named buckets, in order; others may exist. */
  readonly names: readonly string[];
  /** Who is responsible for a bucket; undefined when nobody is named. */
  readonly ownerOf: (bucket: string | undefined) => string | undefined;
};

export function configuredBuckets({ providers }: Config, faults: Faults, warn: Warn): ConfiguredBuckets[] {
  return providers.map(({ name, dot_segments: dotSegments, buckets, owner, owners = {} }, i) => {
    const known = new KnownNames(buckets ?? []);
    for (const bucket of Object.keys(owners)) {
      const path = `providers.${i}.owners.${bucket}`;
      const fault = bucketFault(bucket);
      if (fault !== undefined)
        faults.add(path, `\`${bucket}\`: ${fault}; there are no wildcards, and \`owner\` is for all others`);
      else if (buckets !== undefined && !known.has(bucket))
        warn(path, `\`buckets\` has no \`${bucket}\`${known.didYouMean(bucket)}`);
    }
    const own = new Map(Object.entries(owners));
    return {
      provider: name,
      dotSegments,
      names: [...new Set([...(buckets ?? []), ...own.keys()])],
      ownerOf: (bucket) => (bucket === undefined ? undefined : own.get(bucket)) ?? owner,
    };
  });
}

/** What each provider does with keys that have a segment `.` or `..`; an unknown one refuses them, as in the service. */
export function dotsIn(configured: readonly ConfiguredBuckets[]): (provider: string) => DotSegments {
  const dots = new Map(configured.map(({ provider, dotSegments }) => [provider, dotSegments]));
  return (provider) => dots.get(provider) ?? 'refuse';
}
