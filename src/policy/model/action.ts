/** The actions of the service: atomic actions, which policy decides, and names that stand for several of them. */

/** The actions that policy decides. Their order is the bit order of {@link ActionMask}. */
export const ATOMIC_ACTIONS = [
  'providers:list',
  'buckets:list',
  'buckets:create',
  'buckets:delete',
  'objects:list',
  'objects:get',
  'objects:write',
  'objects:delete',
  'objects:presign',
  'objects:versions',
  'objects:restore',
  'objects:purge',
] as const;

export type AtomicAction = (typeof ATOMIC_ACTIONS)[number];

/** Names that stand for one or more atomic actions. */
export const COMPOUND_ACTIONS = {
  'providers:read': ['providers:list'],
  'buckets:read': ['buckets:list'],
  'objects:read': ['objects:list', 'objects:get'],
} as const satisfies Record<string, readonly AtomicAction[]>;

export type CompoundAction = keyof typeof COMPOUND_ACTIONS;
export type ActionName = AtomicAction | CompoundAction;

export const ACTION_NAMES: readonly ActionName[] = [
  ...ATOMIC_ACTIONS,
  ...(Object.keys(COMPOUND_ACTIONS) as CompoundAction[]),
];

/** A set of atomic actions: bit `i` stands for `ATOMIC_ACTIONS[i]`. */
export type ActionMask = number;

const INDEX = new Map<string, number>(ATOMIC_ACTIONS.map((action, i) => [action, i]));

/** The action's position in {@link ATOMIC_ACTIONS}; -1 for anything else. */
export function actionIndex(action: AtomicAction): number {
  return INDEX.get(action) ?? -1;
}

/** The kind of resource that an action is asked on. */
export type ResourceKind = 'provider' | 'bucket' | 'object';

export function resourceKindOf(action: AtomicAction): ResourceKind {
  if (action === 'providers:list') return 'provider';
  return action.startsWith('buckets:') ? 'bucket' : 'object';
}

const maskOfKind = (kind: ResourceKind): ActionMask =>
  maskOfAll(ATOMIC_ACTIONS.filter((action) => resourceKindOf(action) === kind));

/** The actions that are asked on each kind of resource. */
export const ACTIONS_ON: Readonly<Record<ResourceKind, ActionMask>> = {
  provider: maskOfKind('provider'),
  bucket: maskOfKind('bucket'),
  object: maskOfKind('object'),
};

export function isAtomicAction(name: string | undefined): name is AtomicAction {
  return name !== undefined && INDEX.has(name);
}

export function isActionName(name: string): name is ActionName {
  return INDEX.has(name) || Object.hasOwn(COMPOUND_ACTIONS, name);
}

/** The atomic actions that a name stands for, in the order of {@link ATOMIC_ACTIONS}. */
export function atomicActions(name: ActionName): readonly AtomicAction[] {
  return Object.hasOwn(COMPOUND_ACTIONS, name) ? COMPOUND_ACTIONS[name as CompoundAction] : [name as AtomicAction];
}

export function maskOf(action: AtomicAction): ActionMask {
  const index = actionIndex(action);
  return index < 0 ? 0 : 1 << index;
}

export function maskOfAll(actions: Iterable<AtomicAction>): ActionMask {
  let mask = 0;
  for (const action of actions) mask |= maskOf(action);
  return mask;
}
