import type { RuleRef } from '../../policy/model/rule.ts';
import type { Assignment } from '../../policy/index/principal.ts';
import type { Config } from '../schema/schema.ts';
import type { TeamFile } from '../read/team-files.ts';

/** A place in a file: a key path, and its line, from 1, if known. */
export type WrittenAt = { readonly file: string; readonly path: string; readonly line: number | undefined };

type LineOf = (path: string) => number | undefined;
type File = { readonly file: string; readonly lineOf: LineOf };

/** Finds the places in the files from which a definition was compiled. Built-in parts have no place. */
export class PolicyLines {
  readonly #main: File;
  readonly #bindings: readonly string[];
  readonly #policies: ReadonlyMap<string, { readonly in: File; readonly path: string }>;
  readonly #owners: ReadonlyMap<string, string>;

  /** @param file - the configuration file, as messages name it. */
  constructor({ auth, bindings, policy, policies }: Config, file: string, lineOf: LineOf, teams: readonly TeamFile[]) {
    const paths = (at: string, list: readonly unknown[]) => list.map((_, i) => `${at}.${i}`);
    const placed = (at: string, list: readonly { readonly name: string }[], inFile: File) =>
      list.map(({ name }, i) => [name, { in: inFile, path: `${at}.${i}` }] as const);
    this.#main = { file, lineOf };
    this.#bindings = [...paths('auth.bindings', auth.bindings), ...paths('bindings', bindings)];
    this.#policies = new Map([
      ...placed('policy.policies', policy.policies, this.#main),
      ...placed('policies', policies, this.#main),
      ...teams.flatMap((team) => placed('policies', team.documents, team)),
    ]);
    this.#owners = new Map(
      teams.flatMap(({ owner, documents }) => documents.map(({ name }) => [name, owner] as const)),
    );
  }

  /** The place of a key path of the configuration file; for a missing key, of the enclosing key. */
  at(path: string): WrittenAt {
    return this.#in(this.#main, path);
  }

  ofAssignment({ from, place }: Pick<Assignment, 'from' | 'place'>): WrittenAt {
    return from === 'local user' ? this.at(`auth.local_users.${place}`) : this.ofBinding(place);
  }

  ofBinding(place: number): WrittenAt {
    return this.at(this.#bindings[place]!);
  }

  ofPolicy(name: string): WrittenAt | undefined {
    const policy = this.#policies.get(name);
    return policy === undefined ? undefined : this.#in(policy.in, policy.path);
  }

  /** @param beneath - a part of the rule, such as `.resources.0`. The line of an imported rule is that of its document. */
  ofRule({ policy, rule }: RuleRef, beneath = ''): WrittenAt | undefined {
    const at = this.#policies.get(policy);
    return at === undefined ? undefined : this.#in(at.in, `${at.path}.rules.${rule}${beneath}`);
  }

  /** Who is responsible for a policy of a team. */
  ownerOf(policy: string): string | undefined {
    return this.#owners.get(policy);
  }

  #in({ file, lineOf }: File, path: string): WrittenAt {
    return { file, path, line: path === '' ? undefined : lineOf(path) };
  }
}
