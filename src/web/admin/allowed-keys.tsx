import { Stack, Text } from '@mantine/core';
import { formatDateTime } from '../format/format.ts';
import { Name } from '../names/name.tsx';
import { DataTable, type Column } from '../table/data-table.tsx';
import { plural, t } from '../words/words.ts';
import { Person } from './person.tsx';
import type { AllowedKey } from './records.ts';

const COLUMNS: readonly Column<AllowedKey>[] = [
  { name: t('Description'), cell: (key) => <Named named={key} />, sortBy: ({ description }) => description },
  {
    name: t('Created by'),
    cell: ({ creator }) => <Person {...creator} />,
    sortBy: ({ creator }) => creator.name,
  },
  {
    name: t('Expires'),
    cell: ({ expires_at: at }) => <span className="tabular">{at === null ? t('never') : formatDateTime(at)}</span>,
    sortBy: ({ expires_at: at }) => at ?? '~',
  },
];

/** The keys with which the action is allowed. */
export function AllowedKeys({
  action,
  keys,
  leftOut,
}: {
  readonly action: string;
  readonly keys: readonly AllowedKey[];
  readonly leftOut: number;
}) {
  if (keys.length === 0) return null;
  return (
    <Stack gap="xs">
      <Text size="sm">{t('Keys with which it is allowed, because their creators and their scopes allow it:')}</Text>
      <DataTable
        label={t('Keys for {action}', { action })}
        columns={COLUMNS}
        rows={keys}
        keyOf={({ id }) => id}
        sortable={leftOut === 0}
      />
      {leftOut > 0 && (
        <Text size="xs" c="dimmed">
          {plural(leftOut, '{count} more key', '{count} more keys')}
        </Text>
      )}
    </Stack>
  );
}

function Named({ named: { kind, id, description } }: { readonly named: AllowedKey }) {
  return (
    <div>
      <Text size="sm" fw={600}>
        <Name>{description}</Name>
      </Text>
      <Text size="xs" c="dimmed">
        {kind === 's3Key' ? t('S3 key') : t('API key')}{' '}
        <Text span inherit ff="monospace">
          {id}
        </Text>
      </Text>
    </div>
  );
}
