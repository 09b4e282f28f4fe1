import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startDemo, type Demo } from '../../scripts/demo/start.ts';

/** The demo on free ports: the real service, with its accounts and sample data. */
export async function startDemoService(): Promise<Demo> {
  return startDemo({ port: 0, idpPort: 0, s3Port: 0, archivePort: 0 }, await mkdtemp(join(tmpdir(), 'svc-e2e-')));
}
