import { Group, Select, Text, TextInput } from '@mantine/core';
import type { QueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { TOOLS } from '../../tool/tool.ts';
import { DialogForm, openDialog } from '../actions/dialog.tsx';
import { keyOf, S3_KEYS } from '../admin/key-kinds.ts';
import { call } from '../api/rpc.ts';
import type { Place } from '../place/place.ts';
import type { S3Endpoint } from '../session/session.ts';
import { t } from '../words/words.ts';
import { expiryAfter, LifetimeSelect, MONTH } from './lifetime.tsx';
import { showS3Key } from './new-s3-key.tsx';
import { faultOfPlace, NOWHERE, PlaceOfKey, usePlace } from './place-of-key.tsx';
import { ToolSelect } from './tool-select.tsx';
import { RIGHTS, scopeOfTool, type ToolRights } from './tool-scope.ts';

/** Opens the dialog that connects a tool. @param place - the place that is chosen at first. */
export function openConnectTool(s3: S3Endpoint, client: QueryClient, place = NOWHERE): void {
  openDialog(
    t('Connect a tool'),
    (close) => <ConnectTool s3={s3} client={client} initial={place} close={close} />,
    'lg',
  );
}

type Props = {
  readonly s3: S3Endpoint;
  readonly client: QueryClient;
  readonly initial: Place;
  readonly close: () => void;
};

function ConnectTool({ s3, client, initial, close }: Props) {
  const [tool, setTool] = useState(TOOLS[0]!);
  const [chosen, setChosen] = useState(initial);
  const [description, setDescription] = useState('');
  const [rights, setRights] = useState<ToolRights>('read');
  const [days, setDays] = useState<number | null>(MONTH);
  const place = usePlace(chosen);
  const fault = faultOfPlace(place);

  async function submit(): Promise<void> {
    const { key, secretAccessKey: secret } = await call('s3Key/create', {
      provider: place.provider,
      description: description.trim() || tool.name,
      scope: scopeOfTool(place, rights),
      expiresAt: expiryAfter(days),
    });
    await client.invalidateQueries({ queryKey: S3_KEYS.queryKey });
    showS3Key({ key: keyOf(key), secret }, s3, tool);
  }

  return (
    <DialogForm submitLabel={t('Create key')} close={close} submit={submit} disabled={fault !== undefined}>
      <Group gap="sm" align="flex-start" grow preventGrowOverflow={false}>
        <ToolSelect tool={tool} onChange={setTool} autofocus />
        <TextInput
          miw={200}
          label={t('Description')}
          placeholder={tool.name}
          maxLength={200}
          value={description}
          onChange={(event) => setDescription(event.currentTarget.value)}
        />
      </Group>
      <PlaceOfKey place={place} onChange={setChosen} />
      <Group gap="sm" align="flex-start" grow preventGrowOverflow={false}>
        <Select
          miw={200}
          label={t('What it may do')}
          data={RIGHTS}
          value={rights}
          allowDeselect={false}
          onChange={(value) => setRights(value as ToolRights)}
        />
        <LifetimeSelect choices={[MONTH, 90, 365]} value={days} onChange={setDays} />
      </Group>
      <Text size="sm" c="dimmed" role="status">
        {fault ?? t('It can never do more than you can.')}
      </Text>
    </DialogForm>
  );
}
