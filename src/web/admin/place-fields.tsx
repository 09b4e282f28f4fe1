import { Autocomplete, Box, Group, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import type { ActionName } from '../../wire/action-names.ts';
import type { ProviderList } from '../../wire/http.ts';
import { faultOfBucketName, faultOfKey } from '../actions/key-name.ts';
import { t } from '../words/words.ts';

/** The height of a field's label. */
const LABEL_PX = 25;
const EXACT = { spellCheck: false, autoComplete: 'off' } as const;

export type PlaceFaults = { readonly [Field in 'provider' | 'bucket' | 'prefix' | 'key']?: string | undefined };

type Asked = {
  /** The initial values of the fields. */ readonly asked: URLSearchParams;
  readonly faults: PlaceFaults;
};

/** Form fields for a provider and a bucket. */
export function BucketFields({
  asked,
  faults,
  providers = [],
}: Asked & { readonly providers: ProviderList['providers'] | undefined }) {
  return (
    <>
      <Autocomplete
        label={t('Provider')}
        name="provider"
        required
        data={providers.map(({ name }) => name)}
        defaultValue={asked.get('provider') ?? providers[0]?.name ?? ''}
        error={faults.provider}
      />
      <TextInput
        label={t('Bucket')}
        name="bucket"
        defaultValue={asked.get('bucket') ?? ''}
        error={faults.bucket}
        {...EXACT}
      />
    </>
  );
}

/** Form fields for a prefix and an object key. @param children - a button beside them, which stays where it is when a field tells what is wrong. */
export function KeyFields({ asked, faults, children }: Asked & { readonly children: ReactNode }) {
  return (
    <Group gap="sm" align="flex-start">
      {(
        [
          ['prefix', t('Prefix')],
          ['key', t('Key')],
        ] as const
      ).map(([name, label]) => (
        <TextInput
          key={name}
          label={label}
          name={name}
          defaultValue={asked.get(name) ?? ''}
          error={faults[name]}
          flex={1}
          miw={140}
          {...EXACT}
        />
      ))}
      <Box mt={{ base: 0, xs: LABEL_PX }}>{children}</Box>
    </Group>
  );
}

const PROVIDER_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/;

/**
 * What is wrong with the place that a form names, and the focus on the first field with a fault.
 *
 * @param actions - the actions that are asked about; none when the question is about all.
 * @returns undefined when the place can be asked about.
 */
export function faultsOfPlace(
  form: HTMLFormElement,
  written: URLSearchParams,
  actions: readonly ActionName[],
): PlaceFaults | undefined {
  const [provider, bucket, prefix, key] = FIELDS.map((name) => written.get(name) ?? undefined);
  const isInBucket = (prefix ?? key) !== undefined || actions.some((action) => !action.startsWith('providers:'));
  const faults: PlaceFaults = {
    provider: PROVIDER_NAME.test(provider ?? '') ? undefined : t('No provider can have this name.'),
    bucket: bucket !== undefined ? faultOfBucketName(bucket) : isInBucket ? t('Name the bucket.') : undefined,
    prefix: faultOfKey(prefix ?? ''),
    key: prefix !== undefined && key !== undefined ? t('Give either a prefix or a key.') : faultOfKey(key ?? ''),
  };
  const first = FIELDS.find((name) => faults[name] !== undefined);
  if (first === undefined) return undefined;
  form.querySelector<HTMLInputElement>(`[name=${first}]`)?.focus();
  return faults;
}

const FIELDS = ['provider', 'bucket', 'prefix', 'key'] as const;

/** The values of a form, without empty fields. */
export function writtenIn(form: HTMLFormElement): URLSearchParams {
  const written = new URLSearchParams();
  for (const [name, value] of new FormData(form))
    if (typeof value === 'string' && value !== '') written.set(name, value);
  return written;
}

/** A question with these values of a member that may have several. */
export function withEach(question: URLSearchParams, name: string, values: readonly string[]): URLSearchParams {
  const next = new URLSearchParams(question);
  next.delete(name);
  for (const value of values) next.append(name, value);
  return next;
}
