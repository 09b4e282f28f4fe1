import { Autocomplete, TextInput } from '@mantine/core';
import type { ProviderList } from '../../wire/http.ts';
import { t } from '../words/words.ts';

const EXACT = { spellCheck: false, autoComplete: 'off' } as const;

type Asked = { /** The initial values of the fields. */ readonly asked: URLSearchParams };

/** Form fields for a provider and a bucket. */
export function BucketFields({
  asked,
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
      />
      <TextInput label={t('Bucket')} name="bucket" defaultValue={asked.get('bucket') ?? ''} {...EXACT} />
    </>
  );
}

/** Form fields for a prefix and an object key. */
export function KeyFields({ asked }: Asked) {
  return (
    <>
      <TextInput
        label={t('Prefix')}
        name="prefix"
        defaultValue={asked.get('prefix') ?? ''}
        flex={1}
        miw={140}
        {...EXACT}
      />
      <TextInput label={t('Key')} name="key" defaultValue={asked.get('key') ?? ''} flex={1} miw={140} {...EXACT} />
    </>
  );
}

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
