import { describe, expect, it } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { killLoop } from '../../../scripts/fault-keys/kill-loop.ts';

const KILLS = 12;

describe('API keys in a process that is killed in the middle of changes', () => {
  it('lose no acknowledged change, bring none back, and leave the database whole', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'svc-kill-'));
    const report = await killLoop(join(directory, 'state.db'), KILLS);
    await rm(directory, { recursive: true });
    expect(report.faults).toEqual([]);
    expect(report.kills).toBe(KILLS);
    expect(Object.values(report.acknowledged).reduce((sum, count) => sum + count)).toBeGreaterThan(KILLS);
  });
});
