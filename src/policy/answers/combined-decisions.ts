import { ATOMIC_ACTIONS, maskOf, type ActionMask } from '../model/action.ts';
import type { Policy } from '../model/rule.ts';
import { decide } from '../index/decide.ts';
import { compileGrants, type Grants } from '../index/grants.ts';
import { principalId, type Principal } from '../index/principal.ts';
import { isAskedIn, resourceIn, type Cell } from './cells.ts';
import type { Cohorts } from './cohorts.ts';

/** What one person may do who is or has several holders, computed policy by policy. */
export class CombinedDecisions {
  readonly #heldTogether: Cohorts['heldTogether'];
  readonly #held = new Map<string, ReturnType<Cohorts['heldTogether']>>();
  readonly #grants = new Map<Policy, Grants>();

  constructor(heldTogether: Cohorts['heldTogether']) {
    this.#heldTogether = heldTogether;
  }

  allowed(side: number, holders: readonly Principal[], cell: Cell): ActionMask {
    const id = holders.map(principalId).join(' ');
    const held = this.#held.get(id) ?? this.#heldTogether(holders);
    this.#held.set(id, held);
    const decided = held[side]!.map((policy) => this.#decided(policy, cell));
    return (
      decided.reduce((mask, { allowed }) => mask | allowed, 0) & ~decided.reduce((mask, { denied }) => mask | denied, 0)
    );
  }

  #decided(policy: Policy, cell: Cell): { readonly allowed: ActionMask; readonly denied: ActionMask } {
    const grants = this.#grants.get(policy) ?? compileGrants([policy]);
    this.#grants.set(policy, grants);
    const said = { allowed: 0, denied: 0 };
    for (const action of ATOMIC_ACTIONS) {
      if (!isAskedIn(cell, action)) continue;
      const { allowed, reason } = decide(grants, action, resourceIn(cell, action));
      if (allowed) said.allowed |= maskOf(action);
      else if (reason === 'explicit_deny') said.denied |= maskOf(action);
    }
    return said;
  }
}
