import type { ConfiguredBuckets } from '../../config/compile/bucket-owners.ts';
import type { PolicyLines } from '../../config/compile/policy-lines.ts';
import type { PolicySet, PolicySetDefinition } from '../../policy/index/policy-set.ts';
import { configFailure } from '../argument/config-option.ts';
import type { Edge } from '../terminal/edge.ts';

export type LoadedPolicies = {
  readonly policies: PolicySet;
  readonly definition: PolicySetDefinition;
  /** The configured issuer; empty without an identity provider. */
  readonly issuer: string;
  readonly lines: PolicyLines;
  /** Files with policy cases that the configuration names. */
  readonly tests: readonly string[];
  readonly buckets: readonly ConfiguredBuckets[];
  /** Whether people sign in, so that policies apply. */
  readonly signIn: boolean;
};

/**
 * Loads the policies of a configuration. The secrets of the service may be missing.
 *
 * @param instead - texts to read instead of files.
 * @throws {CliFailure} usage: the configuration's faults, one per line.
 */
export async function loadPolicies(
  edge: Edge,
  file: string,
  { instead, hints }: { readonly instead?: ReadonlyMap<string, string>; readonly hints?: readonly string[] } = {},
): Promise<LoadedPolicies> {
  const [{ loadPolicy }, { PolicySet: Policies }] = await Promise.all([
    import('../../config/load.ts'),
    import('../../policy/index/policy-set.ts'),
  ]);
  const { policy, issuer, lines, tests, buckets, signIn, faults } = loadPolicy({ file, instead, env: edge.env });
  if (faults !== undefined) throw configFailure(file, faults, hints);
  return { policies: new Policies(policy), definition: policy, issuer, lines, tests, buckets, signIn };
}
