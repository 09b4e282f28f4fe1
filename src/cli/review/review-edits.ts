import { readFileSync } from 'node:fs';
import type { PolicyLines, WrittenAt } from '../../config/compile/policy-lines.ts';
import { readYaml } from '../../config/read/yaml.ts';
import { editPath, editYaml, type EditPath, type YamlEdit } from '../../config/edit/yaml-edit.ts';
import { nameInPatch, unifiedDiff } from '../../config/edit/unified-diff.ts';
import { atomicActions, isActionName, type AtomicAction } from '../../policy/model/action.ts';
import { principalId, type Principal } from '../../policy/index/principal.ts';
import type { PolicySetDefinition } from '../../policy/index/policy-set.ts';
import type { RuleRef } from '../../policy/model/rule.ts';
import type { PlannedEdit } from './plan-candidates.ts';

export type PatchedFiles = {
  /** By the names of the files, as messages name them. */ readonly texts: ReadonlyMap<string, string>;
  readonly patch: string;
};

/**
 * Applies planned changes to the texts of the files.
 *
 * @param from - the directory to which file names in the patch are relative.
 * @throws {CannotEdit}
 */
export function patchFiles(
  edits: readonly PlannedEdit[],
  { definition, lines }: { readonly definition: PolicySetDefinition; readonly lines: PolicyLines },
  from: string,
): PatchedFiles {
  const files = new Map<string, FileEdits>();
  const at = ({ file }: WrittenAt): FileEdits => {
    const known = files.get(file) ?? new FileEdits(file, from);
    files.set(file, known);
    return known;
  };
  for (const [binding, holders] of membersTaken(edits)) {
    const place = lines.ofBinding(binding);
    at(place).removeItems(editPath(place.path), ...memberIndexes(definition, binding, holders));
  }
  for (const edit of edits) {
    if (edit.do === 'take role') {
      const place = lines.ofAssignment({ from: 'local user', place: edit.localUser });
      at(place).removeNames(
        [...editPath(place.path), 'roles'],
        definition.localUsers[edit.localUser]!.roles,
        edit.role,
      );
    } else if (edit.do === 'drop from binding') {
      const place = lines.ofBinding(edit.binding);
      const binding = definition.bindings[edit.binding]!;
      at(place).removeNames(
        [...editPath(place.path), 'policies'],
        'policies' in binding ? binding.policies : [],
        edit.policy,
      );
    } else if (edit.do === 'drop from role') {
      at(lines.at('')).removeNames(
        ['roles', edit.role, 'policies'],
        definition.roles.find(({ name }) => name === edit.role)!.policies,
        edit.policy,
      );
    } else if (edit.do !== 'take from binding') {
      const place = lines.ofRule(edit.rule)!;
      at(place).changeRule(editPath(place.path), edit);
    }
  }
  const changed = [...files.values()].map((file) => file.done());
  return {
    texts: new Map(changed.map(({ name, text }) => [name, text])),
    patch: changed.map(({ patch }) => patch).join(''),
  };
}

function membersTaken(edits: readonly PlannedEdit[]): ReadonlyMap<number, ReadonlySet<string>> {
  const taken = new Map<number, Set<string>>();
  for (const edit of edits)
    if (edit.do === 'take from binding')
      taken.set(edit.binding, (taken.get(edit.binding) ?? new Set()).add(principalId(edit.holder)));
  return taken;
}

/** The list of a binding's members, its length, and the indexes of the given holders. */
function memberIndexes(
  { bindings }: PolicySetDefinition,
  place: number,
  holders: ReadonlySet<string>,
): [list: string, count: number, indexes: readonly number[]] {
  const binding = bindings[place]!;
  const members: readonly Principal[] =
    'groups' in binding ? binding.groups.map((group) => ({ group })) : binding.subjects;
  return [
    'groups' in binding ? 'groups' : 'subjects',
    members.length,
    members.flatMap((holder, i) => (holders.has(principalId(holder)) ? [i] : [])),
  ];
}

type RuleEdit = Extract<PlannedEdit, { readonly rule: RuleRef }>;
type WrittenEntry = { readonly actions: readonly unknown[]; readonly resources: readonly unknown[] };

class FileEdits {
  readonly #name: string;
  readonly #from: string;
  readonly #source: string;
  readonly #data: unknown;
  /** Edits by path, so that removing something twice is one edit. */
  readonly #edits = new Map<string, YamlEdit>();
  /** The selectors that stay in each rule. */
  readonly #left = new Map<string, Set<number>>();
  #appended = 0;

  constructor(name: string, from: string) {
    this.#name = name;
    this.#from = from;
    this.#source = readFileSync(name, 'utf8');
    const yaml = readYaml(this.#source);
    this.#data = yaml.fault === undefined ? yaml.value : undefined;
  }

  /** Removes members of a binding, or the whole binding when it loses all of them. */
  removeItems(binding: EditPath, list: string, count: number, indexes: readonly number[]): void {
    if (indexes.length === count) this.#remove(binding);
    else for (const i of indexes) this.#remove([...binding, list, i]);
  }

  removeNames(list: EditPath, names: readonly string[], gone: string): void {
    for (const [i, name] of names.entries()) if (name === gone) this.#remove([...list, i]);
  }

  changeRule(path: EditPath, edit: RuleEdit): void {
    const entry = this.#at(path) as WrittenEntry;
    if (edit.do === 'keep actions') {
      this.#keepActions([...path, 'actions'], entry.actions, edit.actions);
      return;
    }
    if (edit.do === 'move selectors') {
      const moved = {
        effect: 'allow',
        actions: shortest(edit.actions),
        resources: edit.selectors.map((i) => entry.resources[i]),
      };
      this.#edits.set(`append ${this.#appended++}`, { do: 'append', path: path.slice(0, -1), value: moved });
    }
    const id = JSON.stringify(path);
    const left = this.#left.get(id) ?? new Set(entry.resources.keys());
    this.#left.set(id, left);
    for (const i of edit.selectors) {
      left.delete(i);
      this.#remove([...path, 'resources', i]);
    }
    if (left.size === 0) this.#remove(path);
  }

  /** Replaces a name for several actions with single actions only when one of them goes. */
  #keepActions(path: EditPath, written: readonly unknown[], kept: readonly AtomicAction[]): void {
    const parts = written.map((name) =>
      typeof name === 'string' && isActionName(name) ? atomicActions(name) : undefined,
    );
    const isCut = parts.some(
      (part) =>
        part === undefined ||
        (part.some((action) => kept.includes(action)) && !part.every((action) => kept.includes(action))),
    );
    if (isCut) this.#edits.set(JSON.stringify(path), { do: 'replace', path, value: shortest(kept) });
    else
      for (const [i, part] of parts.entries())
        if (!part!.some((action) => kept.includes(action))) this.#remove([...path, i]);
  }

  #remove(path: EditPath): void {
    this.#edits.set(JSON.stringify(path), { do: 'remove', path });
  }

  #at(path: EditPath): unknown {
    return path.reduce<unknown>((value, name) => (value as Record<string | number, unknown>)[name], this.#data);
  }

  done(): { readonly name: string; readonly text: string; readonly patch: string } {
    const { text, cuts } = editYaml(this.#source, [...this.#edits.values()]);
    return { name: this.#name, text, patch: unifiedDiff(nameInPatch(this.#name, this.#from), this.#source, cuts) };
  }
}

/** Uses `objects:read` for its two actions. */
function shortest(actions: readonly AtomicAction[]): string[] {
  const both = actions.includes('objects:list') && actions.includes('objects:get');
  return [
    ...new Set(
      actions.map((action) =>
        both && (action === 'objects:list' || action === 'objects:get') ? 'objects:read' : action,
      ),
    ),
  ];
}
