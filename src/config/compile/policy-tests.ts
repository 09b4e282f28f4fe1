import { PolicySet, type PolicySetDefinition } from '../../policy/index/policy-set.ts';
import type { ConfigFault } from '../read/fault.ts';
import { dotsIn, type ConfiguredBuckets } from './bucket-owners.ts';
import { caseName, readCases, runCases } from '../read/policy-cases.ts';

/** Decides the cases of `policy.tests`. An unreadable file is a fault, and so is each case with an unexpected result. */
export function failedTests(
  files: readonly string[],
  definition: PolicySetDefinition,
  buckets: readonly ConfiguredBuckets[],
): ConfigFault[] {
  if (files.length === 0) return [];
  const policies = new PolicySet(definition);
  return files.flatMap((file, i) => {
    const path = `policy.tests.${i}`;
    const { cases, fault } = readCases(file);
    if (fault !== undefined) return [{ path, message: fault }];
    return runCases(cases, policies, { issuer: definition.issuer ?? '', dotsOf: dotsIn(buckets) }).flatMap((result) =>
      result.fault === undefined ? [] : [{ path, message: `${caseName(file, result)}: ${result.fault}` }],
    );
  });
}
