import { describe } from '@jest/globals';
import { missingForRadosGateway } from './rados-gateway.ts';

/** Says what is missing where Ceph cannot run, and skips. */
export function describeRadosGateway(name: string, tests: () => void): void {
  if (missingForRadosGateway.length === 0) describe(name, tests);
  else
    describe.skip(`${name} (missing here: ${missingForRadosGateway.join(', ')}; install radosgw and ceph-osd)`, tests);
}
