import type { RuleRef } from '../policy/rule.ts';
import type { Way } from '../policy/holder.ts';
import type { Config } from './schema.ts';
import type { TeamFile } from './team-files.ts';

/** Where something is written: a key path, and its line, from 1, where that can be told. */
export type WrittenAt = { readonly file: string; readonly path: string; readonly line: number | undefined };

type LineOf = (path: string) => number | undefined;
type File = { readonly file: string; readonly lineOf: LineOf };

/** Where the parts of a definition stand in the files that it was compiled from. What is built in stands nowhere. */
export class PolicyLines {
  readonly #main: File;
  readonly #bindings: readonly string[];
  readonly #policies: ReadonlyMap<string, { readonly in: File; readonly path: string }>;
  readonly #owners: ReadonlyMap<string, string>;

  /** @param file - the configuration file, as it is told to people. */
  constructor({ auth, bindings, policy, policies }: Config, file: string, lineOf: LineOf, teams: readonly TeamFile[]) {
    const paths = (at: string, list: readonly unknown[]) => list.map((_, i) => `${at}.${i}`);
    const placed = (at: string, list: readonly { readonly name: string }[], inFile: File) => list.map(({ name }, i) => [name, { in: inFile, path: `${at}.${i}` }] as const);
    this.#main = { file, lineOf };
    this.#bindings = [...paths('auth.bindings', auth.bindings), ...paths('bindings', bindings)];
    this.#policies = new Map([...placed('policy.policies', policy.policies, this.#main), ...placed('policies', policies, this.#main), ...teams.flatMap((team) => placed('policies', team.documents, team))]);
    this.#owners = new Map(teams.flatMap(({ owner, documents }) => documents.map(({ name }) => [name, owner] as const)));
  }

  /** A key path of the configuration file, or what it is missing from. */
  at(path: string): WrittenAt {
    return this.#in(this.#main, path);
  }

  ofWay({ from, place }: Pick<Way, 'from' | 'place'>): WrittenAt {
    return from === 'local user' ? this.at(`auth.local_users.${place}`) : this.ofBinding(place);
  }

  ofBinding(place: number): WrittenAt {
    return this.at(this.#bindings[place]!);
  }

  ofPolicy(name: string): WrittenAt | undefined {
    const policy = this.#policies.get(name);
    return policy === undefined ? undefined : this.#in(policy.in, policy.path);
  }

  /** @param beneath - what of the rule is meant, such as `.resources.0`. Of an imported rule the line is that of its document. */
  ofRule({ policy, rule }: RuleRef, beneath = ''): WrittenAt | undefined {
    const at = this.#policies.get(policy);
    return at === undefined ? undefined : this.#in(at.in, `${at.path}.rules.${rule}${beneath}`);
  }

  /** Who answers for a policy of a team. */
  ownerOf(policy: string): string | undefined {
    return this.#owners.get(policy);
  }

  #in({ file, lineOf }: File, path: string): WrittenAt {
    return { file, path, line: path === '' ? undefined : lineOf(path) };
  }
}
