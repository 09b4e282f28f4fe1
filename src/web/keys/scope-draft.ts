import { atomicActions, type AtomicAction } from '../../wire/action-names.ts';
import type { ScopeSelector as Selector } from '../../wire/api-key.ts';
import { t } from '../words/words.ts';
import type { Scope } from '../admin/key-kinds.ts';

/** A scope rule that is being edited. All fields are present; those that the `type` does not use are ignored. */
export type DraftRule = {
  readonly id: number;
  readonly actions: readonly AtomicAction[];
  readonly type: Selector['type'];
  readonly provider: string;
  readonly bucket: string;
  readonly path: string;
};

export const SELECTOR_NAMES: Readonly<Record<Selector['type'], string>> = {
  all: t('Everything'),
  provider: t('One provider'),
  bucket: t('One bucket'),
  prefix: t('Keys that start with'),
  object: t('One key'),
};

let nextId = 1;

export function newDraft(): DraftRule {
  return { id: nextId++, actions: [], type: 'bucket', provider: '', bucket: '', path: '' };
}

/** The drafts for a scope. A draft has one resource and no name that stands for several actions, so a rule with several resources becomes several drafts. */
export function draftsOf(scope: Scope): DraftRule[] {
  return scope.rules.flatMap(({ actions, resources }) =>
    resources.map((selector) => ({
      id: nextId++,
      actions: [...new Set(actions.flatMap(atomicActions))],
      ...fieldsOf(selector),
    })),
  );
}

export function scopeOf(drafts: readonly DraftRule[]): Scope {
  return { rules: drafts.map((draft) => ({ actions: draft.actions, resources: [selectorOf(draft)] })) };
}

/** The message about what is missing in a draft, or undefined if it is complete. */
export function faultOfDraft({ actions, type, provider, bucket, path }: DraftRule): string | undefined {
  if (actions.length === 0) return t('Choose at least one action.');
  if (type !== 'all' && provider === '') return t('Name the provider.');
  if (type !== 'all' && type !== 'provider' && bucket === '') return t('Name the bucket.');
  if (type === 'object' && path === '') return t('Name the key.');
  return undefined;
}

function selectorOf({ type, provider, bucket, path }: DraftRule): Selector {
  switch (type) {
    case 'all':
      return { type };
    case 'provider':
      return { type, provider };
    case 'bucket':
      return { type, provider, bucket };
    case 'prefix':
      return { type, provider, bucket, prefix: path };
    case 'object':
      return { type, provider, bucket, key: path };
  }
}

function fieldsOf(selector: Selector): Omit<DraftRule, 'id' | 'actions'> {
  const provider = selector.type === 'all' ? '' : selector.provider;
  const bucket = selector.type === 'all' || selector.type === 'provider' ? '' : selector.bucket;
  const path = selector.type === 'prefix' ? selector.prefix : selector.type === 'object' ? selector.key : '';
  return { type: selector.type, provider, bucket, path };
}
