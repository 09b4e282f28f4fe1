import type { RuleRef } from '../policy/rule.ts';
import type { Way } from '../policy/holder.ts';
import type { Config } from './schema.ts';

/** Where the parts of a definition stand in the file that it was compiled from: lines, from 1; undefined for what is built in. */
export class PolicyLines {
  readonly #lineOf: (path: string) => number | undefined;
  readonly #bindings: readonly string[];
  readonly #policies: ReadonlyMap<string, string>;

  constructor({ auth, bindings, policy, policies }: Config, lineOf: (path: string) => number | undefined) {
    const paths = (at: string, list: readonly unknown[]) => list.map((_, i) => `${at}.${i}`);
    this.#lineOf = lineOf;
    this.#bindings = [...paths('auth.bindings', auth.bindings), ...paths('bindings', bindings)];
    const documents = [...paths('policy.policies', policy.policies), ...paths('policies', policies)];
    this.#policies = new Map([...policy.policies, ...policies].map(({ name }, i) => [name, documents[i]!]));
  }

  /** The line of a key path, or of what it is missing from. */
  lineOf(path: string): number | undefined {
    return path === '' ? undefined : this.#lineOf(path);
  }

  ofWay({ from, place }: Way): number | undefined {
    return this.#lineOf(from === 'local user' ? `auth.local_users.${place}` : this.pathOfBinding(place));
  }

  /** The rule, or its document where that is imported. */
  ofRule(rule: RuleRef): number | undefined {
    const path = this.pathOfRule(rule);
    return path === undefined ? undefined : this.#lineOf(path);
  }

  pathOfBinding(place: number): string {
    return this.#bindings[place]!;
  }

  pathOfPolicy(name: string): string | undefined {
    return this.#policies.get(name);
  }

  pathOfRule({ policy, rule }: RuleRef): string | undefined {
    const path = this.pathOfPolicy(policy);
    return path === undefined ? undefined : `${path}.rules.${rule}`;
  }
}
