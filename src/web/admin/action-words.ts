import type { AtomicAction } from '../../wire/action-names.ts';
import { t } from '../words/words.ts';

/** What people call an action on all places of its kind, where one of a single place has other words. */
export const WORDS_EVERYWHERE: Readonly<Partial<Record<AtomicAction, string>>> = {
  'providers:list': t('see all providers'),
  'buckets:list': t('see all buckets'),
  'buckets:create': t('create buckets'),
  'buckets:delete': t('delete buckets'),
};

/** What people call an action, in the words of `svc access review`. */
export const ACTION_WORDS: Readonly<Record<AtomicAction, string>> = {
  'providers:list': t('see the provider'),
  'buckets:list': t('see the bucket'),
  'buckets:create': t('create the bucket'),
  'buckets:delete': t('delete the bucket'),
  'objects:list': t('list'),
  'objects:get': t('read'),
  'objects:write': t('write'),
  'objects:delete': t('delete'),
  'objects:presign': t('share'),
  'objects:versions': t('see versions of'),
  'objects:restore': t('restore'),
  'objects:purge': t('permanently delete'),
};
