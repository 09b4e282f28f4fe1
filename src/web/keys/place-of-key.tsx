import { Autocomplete, Group, Select, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { bucketsQuery, providersQuery } from '../api/queries.ts';
import type { Place } from '../place/place.ts';
import { t } from '../words/words.ts';

export const NOWHERE: Place = { provider: '', bucket: '', prefix: '' };

/** The place that was chosen. Where there is one provider, it is chosen already. */
export function usePlace(chosen: Place): Place {
  const { data: providers = [] } = useQuery(providersQuery);
  const onlyProvider = providers.length === 1 ? providers[0]!.name : '';
  return { ...chosen, provider: chosen.provider || onlyProvider };
}

/** The message about what is missing in a place, or undefined if it is complete. */
export function faultOfPlace({ provider, bucket, prefix }: Place): string | undefined {
  if (provider === '') return t('Name the provider.');
  if (bucket === '' && prefix !== '') return t('Name the bucket.');
  return undefined;
}

/** Form fields for the provider, the bucket or the folder that a key is for. */
export function PlaceOfKey({ place, onChange }: { readonly place: Place; readonly onChange: (place: Place) => void }) {
  const { data: providers = [] } = useQuery(providersQuery);
  return (
    <Group gap="sm" align="flex-start" grow preventGrowOverflow={false}>
      <Select
        miw={130}
        label={t('Provider')}
        data={providers.map(({ name }) => name)}
        value={place.provider === '' ? null : place.provider}
        allowDeselect={false}
        onChange={(provider) => onChange({ ...NOWHERE, provider: provider ?? '' })}
      />
      <BucketField {...place} placeholder={t('all buckets')} onChange={(bucket) => onChange({ ...place, bucket })} />
      <TextInput
        miw={130}
        label={t('Folder')}
        placeholder={t('the whole bucket')}
        value={place.prefix}
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => onChange({ ...place, prefix: event.currentTarget.value })}
      />
    </Group>
  );
}

type BucketProps = {
  readonly provider: string;
  readonly bucket: string;
  readonly placeholder?: string;
  readonly onChange: (bucket: string) => void;
};

/** The name of a bucket. It need not be one that the user sees. */
export function BucketField({ provider, bucket, placeholder, onChange }: BucketProps) {
  const { data: providers = [] } = useQuery(providersQuery);
  const { data = [] } = useQuery({
    ...bucketsQuery(provider),
    enabled: providers.some(({ name }) => name === provider),
  });
  return (
    <Autocomplete
      label={t('Bucket')}
      miw={130}
      flex={1}
      data={data.map(({ name }) => name)}
      value={bucket}
      placeholder={placeholder}
      onChange={onChange}
    />
  );
}
