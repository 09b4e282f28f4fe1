import { describe, expect, it } from '@jest/globals';
import {
  ACTION_NAMES,
  ACTIONS_ON,
  ATOMIC_ACTIONS,
  actionIndex,
  atomicActions,
  isActionName,
  maskOf,
  maskOfAll,
  resourceKindOf,
  type AtomicAction,
} from '../../src/policy/model/action.ts';

describe('actions', () => {
  it('have a bit each', () => {
    expect(ATOMIC_ACTIONS.map(maskOf)).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048]);
    expect(maskOfAll(ATOMIC_ACTIONS)).toBe(4095);
    expect(actionIndex('objects:get')).toBe(5);
  });

  it('are asked on one kind of resource each', () => {
    expect(ATOMIC_ACTIONS.map(resourceKindOf).join(' ')).toBe(
      'provider bucket bucket bucket object object object object object object object object',
    );
    expect(ACTIONS_ON.provider ^ ACTIONS_ON.bucket ^ ACTIONS_ON.object).toBe(4095);
  });

  it('expand from the names that stand for them', () => {
    expect(atomicActions('objects:read')).toEqual(['objects:list', 'objects:get']);
    expect(atomicActions('objects:write')).toEqual(['objects:write']);
    expect(ACTION_NAMES.every(isActionName)).toBe(true);
  });

  it.each(['*', 'objects:*', 'Objects:get', 'toString', '__proto__', ''])('do not include %j', (name) => {
    expect(isActionName(name)).toBe(false);
    expect(maskOf(name as AtomicAction)).toBe(0);
  });
});
