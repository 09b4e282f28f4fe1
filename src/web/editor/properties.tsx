import { ActionIcon, Button, Group, Loader, Stack, Text, TextInput } from '@mantine/core';
import { IconPlus, IconX } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Surroundings } from '../actions/action.ts';
import { DialogForm, openDialog } from '../actions/dialog.tsx';
import { apiErrorOf } from '../api/api-error.ts';
import { headQuery } from '../api/head-query.ts';
import type { ObjectHead, ObjectRef } from '../api/object-calls.ts';
import { call } from '../api/rpc.ts';
import { Name } from '../names/name.tsx';
import { baseName } from '../place/place.ts';
import { metadataValue } from '../preview/metadata-value.ts';
import { ErrorState } from '../shell/states.tsx';
import { t } from '../words/words.ts';
import { changedMetadata, sameTags, type Pair } from './pairs.ts';

const MOST_TAGS = 10;

/** Opens the form for the content type, the custom metadata and the tags of an object. */
export function openProperties(object: ObjectRef, around: Surroundings): void {
  openDialog(t('Edit properties'), (close) => <Loaded object={object} around={around} close={close} />, 'lg');
}

type Loading = { readonly object: ObjectRef; readonly around: Surroundings; readonly close: () => void };

function Loaded(properties: Loading) {
  const { object } = properties;
  const { provider, bucket, key } = object;
  const head = useQuery({ ...headQuery(object), staleTime: 0, gcTime: 0 });
  const tags = useQuery({
    queryKey: ['tags', object],
    queryFn: async ({ signal }) => (await call('object/tags', { provider, bucket, key }, signal)).tags,
    gcTime: 0,
  });
  const error = head.error ?? tags.error;
  if (error !== null)
    return (
      <ErrorState
        error={error}
        onRetry={() => {
          void head.refetch();
          void tags.refetch();
        }}
      />
    );
  if (head.data === undefined || tags.data === undefined || head.isFetching)
    return <Loader size="sm" role="status" aria-label={t('Loading')} />;
  return (
    <Properties {...properties} head={head.data} tags={tags.data.map(({ key: name, value }) => ({ name, value }))} />
  );
}

function Properties({
  object,
  around,
  close,
  head,
  tags: storedTags,
}: Loading & { readonly head: ObjectHead; readonly tags: readonly Pair[] }) {
  // What was read when the form opened. A later version is refused.
  const [stored] = useState(() => ({
    type: head.type,
    etag: head.etag.replace(/^W\//, ''),
    metadata: head.metadata.map(([name, value]) => ({ name, value: metadataValue(value) })),
    tags: storedTags,
  }));
  const [type, setType] = useState(stored.type);
  const [metadata, setMetadata] = useState<readonly Pair[]>(stored.metadata);
  const [tags, setTags] = useState<readonly Pair[]>(stored.tags);
  const { provider, bucket, key } = object;

  async function submit(): Promise<void> {
    const changes = changedMetadata(stored.metadata, metadata);
    if (type !== stored.type || changes.length > 0)
      await call('object/setProperties', {
        provider,
        bucket,
        key,
        ifMatch: stored.etag,
        ...(type !== stored.type && { contentType: type }),
        metadata: changes,
      }).catch((error: unknown) => {
        throw apiErrorOf(error).code === 'precondition_failed'
          ? new Error(
              t('The file has changed in the meantime. Nothing was changed. Close this form and open it again.'),
            )
          : error;
      });
    if (!sameTags(stored.tags, tags))
      await call('object/setTags', {
        provider,
        bucket,
        key,
        tags: tags.filter(({ name }) => name !== '').map(({ name, value }) => ({ key: name, value })),
      });
    await around.queryClient.invalidateQueries({ queryKey: headQuery(object).queryKey });
  }

  return (
    <DialogForm submitLabel={t('Save')} close={close} submit={submit} disabled={type.trim() === ''}>
      <Stack gap="md">
        <Text size="sm" c="dimmed">
          <Name>{baseName(key)}</Name>
        </Text>
        <TextInput
          label={t('Content type')}
          value={type}
          maxLength={255}
          onChange={(event) => setType(event.currentTarget.value)}
        />
        <Pairs
          legend={t('Custom metadata')}
          pairs={metadata}
          onPairs={(pairs) => setMetadata(pairs.map((pair) => ({ ...pair, name: pair.name.toLowerCase() })))}
          add={t('Add metadata')}
        />
        <Pairs legend={t('Tags')} pairs={tags} onPairs={setTags} add={t('Add tag')} most={MOST_TAGS} />
      </Stack>
    </DialogForm>
  );
}

/** Rows of names and values. */
function Pairs({
  legend,
  pairs,
  onPairs,
  add,
  most = 100,
}: {
  legend: string;
  pairs: readonly Pair[];
  onPairs: (pairs: readonly Pair[]) => void;
  add: string;
  most?: number;
}) {
  const set = (at: number, change: Partial<Pair>) =>
    onPairs(pairs.map((pair, index) => (index === at ? { ...pair, ...change } : pair)));
  return (
    <Stack gap="xs" role="group" aria-label={legend}>
      <Text size="sm" fw={600} aria-hidden>
        {legend}
      </Text>
      {pairs.map(({ name, value }, index) => (
        <Group key={index} gap="xs" wrap="nowrap">
          <TextInput
            flex={1}
            aria-label={t('Name {number}', { number: index + 1 })}
            placeholder={t('Name')}
            value={name}
            maxLength={128}
            onChange={(event) => set(index, { name: event.currentTarget.value })}
          />
          <TextInput
            flex={2}
            aria-label={t('Value {number}', { number: index + 1 })}
            placeholder={t('Value')}
            value={value}
            maxLength={2048}
            onChange={(event) => set(index, { value: event.currentTarget.value })}
          />
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={t('Remove {name}', { name: name === '' ? String(index + 1) : name })}
            onClick={() => onPairs(pairs.filter((_, other) => other !== index))}
          >
            <IconX size={16} />
          </ActionIcon>
        </Group>
      ))}
      {pairs.length < most && (
        <Button
          size="compact-sm"
          variant="subtle"
          w="fit-content"
          leftSection={<IconPlus size={14} />}
          onClick={() => onPairs([...pairs, { name: '', value: '' }])}
        >
          {add}
        </Button>
      )}
    </Stack>
  );
}
