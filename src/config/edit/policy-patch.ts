import { atomicActions, isActionName } from '../../policy/model/action.ts';
import type { Narrowing, NarrowRule } from '../../policy/answers/narrowing.ts';
import type { WrittenSelector } from '../../policy/model/resource.ts';
import type { WrittenRule } from '../../policy/model/rule.ts';
import { CannotEdit, editPath, literally, type EditPath, type YamlEdit } from './yaml-edit.ts';
import { readYaml } from '../read/yaml.ts';

/** A narrowing, with the original rule and its key path. */
export type PlacedNarrowing = Narrowing & { readonly written: WrittenRule; readonly path: string };

/** A rule and its selectors as they are in the file, with references to the environment. */
type RawRule = { readonly actions: readonly string[]; readonly resources: readonly RawSelector[] };
type RawSelector = Readonly<Record<string, unknown>>;

/**
 * The edits that apply narrower rules to a file. When two rules replace one, the second is added at the end of its policy, because the order of rules decides
 * nothing. Compile the result and compare it with the intended definition.
 *
 * @throws {CannotEdit}
 */
export function policyEdits(source: string, narrowings: readonly PlacedNarrowing[]): YamlEdit[] {
  const { value } = readYaml(source) as { readonly value?: unknown };
  const byList = Map.groupBy(narrowings, ({ path }) => path.slice(0, path.lastIndexOf('.')));
  return [...byList].flatMap(([path, some]) => {
    const list = editPath(path);
    const rules = valueAt(value, list) as readonly RawRule[] | undefined;
    if (rules === undefined) throw new CannotEdit(`there is nothing at \`${path}\``);
    const added = some.flatMap(({ rule, becomes, written }) =>
      becomes.slice(1).map((one) => newRule(rules[rule.rule]!, written, one)),
    );
    const removed = some.flatMap(({ rule, becomes }) => (becomes.length === 0 ? [rule.rule] : []));
    const kept = some.flatMap(({ rule, becomes: [first], written }) =>
      first === undefined ? [] : ruleEdits([...list, rule.rule], rules[rule.rule]!, written, first),
    );
    // A new rule cannot be appended after a removed last item, so it replaces that item.
    const last = removed.includes(rules.length - 1) ? added.shift() : undefined;
    const gone = removed.map((at): YamlEdit =>
      last !== undefined && at === rules.length - 1
        ? { do: 'replace', path: [...list, at], value: last }
        : { do: 'remove', path: [...list, at] },
    );
    return [...kept, ...gone, ...added.map((one): YamlEdit => ({ do: 'append', path: list, value: one }))];
  });
}

function valueAt(value: unknown, path: EditPath): unknown {
  return path.reduce(
    (at: unknown, name) =>
      typeof at === 'object' && at !== null ? (at as Record<string | number, unknown>)[name] : undefined,
    value,
  );
}

/** The edits inside a rule. */
function ruleEdits(path: EditPath, raw: RawRule, { resources }: WrittenRule, narrow: NarrowRule): YamlEdit[] {
  const actions = raw.actions.flatMap((name, i): YamlEdit[] => {
    const atoms = isActionName(name) ? atomicActions(name) : [];
    const kept = atoms.filter((action) => narrow.actions.includes(action));
    if (kept.length === atoms.length) return [];
    const at = [...path, 'actions', i];
    return kept.length === 0
      ? [{ do: 'remove', path: at }]
      : kept.slice(0, 1).map((value): YamlEdit => ({ do: 'replace', path: at, value }));
  });
  const stays = new Map(narrow.resources.map(({ at, selector }) => [at, selector]));
  const selectors = resources.flatMap((before, i): YamlEdit[] => {
    const selector = stays.get(i);
    const at = [...path, 'resources', i];
    if (selector === undefined) return [{ do: 'remove', path: at }];
    if (selector === before) return [];
    if (before.type === 'prefix' && selector.type === 'prefix')
      return [{ do: 'replace', path: [...at, 'prefix'], value: literally(selector.prefix) }];
    return [{ do: 'replace', path: at, value: rawSelector(raw.resources[i]!, before, selector) }];
  });
  return [...actions, ...selectors];
}

function newRule(raw: RawRule, { effect, resources }: WrittenRule, narrow: NarrowRule): object {
  return {
    effect,
    actions: narrow.actions,
    resources: narrow.resources.map(({ at, selector }) => rawSelector(raw.resources[at]!, resources[at]!, selector)),
  };
}

/** A selector as it is written in the file. Unchanged members keep their references. */
function rawSelector(raw: RawSelector, before: WrittenSelector, after: WrittenSelector): RawSelector {
  const old: RawSelector = before;
  return Object.fromEntries(
    Object.entries(after).map(([name, value]) => [name, old[name] === value ? raw[name] : literally(value)]),
  );
}
