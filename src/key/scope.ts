import { SvcError } from '../errors/svc-error.ts';
import { ACTION_NAMES, ATOMIC_ACTIONS, isActionName } from '../policy/model/action.ts';
import type { KeyScope } from '../policy/model/key-scope.ts';
import { isProviderName, NO_PROVIDER_NAME } from '../policy/model/name.ts';
import type { Selector } from '../policy/model/resource.ts';

const MAX_RULES = 100;
const MAX_SELECTORS = 1_000;

/** The members of each selector in addition to `type`. Each of them is a name. */
const SELECTOR_MEMBERS: Readonly<Record<Selector['type'], readonly string[]>> = {
  all: [],
  provider: ['provider'],
  bucket: ['provider', 'bucket'],
  prefix: ['provider', 'bucket', 'prefix'],
  object: ['provider', 'bucket', 'key'],
};

type Fault = { readonly path: string; readonly message: string };

/** The scope of a key that may do whatever its creator may do at a provider. */
export function everythingAt(provider: string): KeyScope {
  return { rules: [{ actions: ATOMIC_ACTIONS, resources: [{ type: 'provider', provider }] }] };
}

/**
 * Refuses a scope that can never be useful. Its shape has been checked already.
 *
 * @param provider - the only one that the scope may name; undefined for all of them.
 * @throws {SvcError} `invalid_request`, with every fault.
 */
export function checkScope(scope: KeyScope, provider?: string): void {
  const errors: Fault[] = [];
  if (scope.rules.length === 0)
    errors.push({ path: 'scope.rules', message: 'name at least one rule; a key without rules could do nothing' });
  if (scope.rules.length > MAX_RULES) errors.push({ path: 'scope.rules', message: `name at most ${MAX_RULES} rules` });
  scope.rules.slice(0, MAX_RULES).forEach(({ actions, resources }, i) => {
    const path = `scope.rules.${i}`;
    if (actions.length === 0) errors.push({ path: `${path}.actions`, message: 'name at least one action' });
    if (resources.length === 0)
      errors.push({
        path: `${path}.resources`,
        message: 'name at least one resource; `{"type": "all"}` is all of them',
      });
    if (resources.length > MAX_SELECTORS)
      errors.push({ path: `${path}.resources`, message: `name at most ${MAX_SELECTORS} resources` });
    actions.forEach((action, j) => {
      if (!isActionName(action))
        errors.push({
          path: `${path}.actions.${j}`,
          message: `there is no action \`${String(action)}\`; there are: ${ACTION_NAMES.join(', ')}`,
        });
    });
    resources.slice(0, MAX_SELECTORS).forEach((selector, j) => {
      const at = `${path}.resources.${j}`;
      errors.push(...selectorFaults(selector, at));
      if (provider !== undefined && (!('provider' in selector) || selector.provider !== provider))
        errors.push({ path: at, message: `name the provider \`${provider}\`, to which the key belongs` });
    });
  });
  if (errors.length > 0)
    throw new SvcError('invalid_request', { detail: 'the scope is not valid', members: { errors } });
}

function selectorFaults(selector: Selector, path: string): Fault[] {
  const type: string = selector.type;
  const members = Object.hasOwn(SELECTOR_MEMBERS, type) ? SELECTOR_MEMBERS[selector.type] : undefined;
  if (members === undefined) {
    return [
      {
        path: `${path}.type`,
        message: `there is no selector \`${type}\`; there are: ${Object.keys(SELECTOR_MEMBERS).join(', ')}`,
      },
    ];
  }
  const faults: Fault[] = [];
  for (const member of members) {
    const value: unknown = Reflect.get(selector, member);
    if (typeof value !== 'string' || value === '')
      faults.push({ path: `${path}.${member}`, message: `give the ${member} as a non-empty string` });
    else if (value.includes('*'))
      faults.push({
        path: `${path}.${member}`,
        message: `\`${value}\` has a \`*\`, and there are no wildcards; use a wider selector such as \`prefix\`, \`bucket\` or \`all\``,
      });
    else if (member === 'provider' && !isProviderName(value))
      faults.push({ path: `${path}.${member}`, message: NO_PROVIDER_NAME });
  }
  return faults;
}
