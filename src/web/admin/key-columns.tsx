import { Badge, Text } from '@mantine/core';
import { formatDateTime } from '../format/format.ts';
import { Name } from '../names/name.tsx';
import type { Column } from '../table/data-table.tsx';
import { t } from '../words/words.ts';
import { isExpired, type Key } from './key-kinds.ts';
import { ScopeCell } from './scope-cell.tsx';

/** The columns of a table of keys. @param below - what stands below the name of a key. */
export function keyColumns(below?: (key: Key) => string | undefined): readonly Column<Key>[] {
  return [
    {
      name: t('Description'),
      cell: (key) => <KeyName apiKey={key} below={below?.(key)} />,
      sortBy: ({ description }) => description,
    },
    { name: t('Scope'), cell: ({ scope }) => <ScopeCell scope={scope} /> },
    {
      name: t('Created'),
      cell: ({ createdAt }) => <Time iso={createdAt} />,
      sortBy: ({ createdAt }) => createdAt,
      startsWith: 'descending',
    },
    {
      name: t('Last used'),
      cell: ({ lastUsedAt }) => <Time iso={lastUsedAt} />,
      sortBy: ({ lastUsedAt }) => lastUsedAt ?? '',
      startsWith: 'descending',
    },
    {
      name: t('Expires'),
      cell: ({ expiresAt }) => <Time iso={expiresAt} />,
      sortBy: ({ expiresAt }) => expiresAt ?? '~',
    },
  ];
}

function KeyName({ apiKey, below }: { apiKey: Key; below: string | undefined }) {
  return (
    <div>
      <Text size="sm" fw={600}>
        <Name>{apiKey.description}</Name>{' '}
        {isExpired(apiKey) && (
          <Badge color="red" variant="light" radius="sm" tt="none">
            {t('expired')}
          </Badge>
        )}
      </Text>
      <Text size="xs" c="dimmed" ff="monospace">
        {apiKey.id}
      </Text>
      {[apiKey.provider && t('provider {name}', { name: apiKey.provider }), below].map(
        (line) =>
          line !== undefined && (
            <Text key={line} size="xs" c="dimmed">
              {line}
            </Text>
          ),
      )}
    </div>
  );
}

function Time({ iso }: { iso: string | null }) {
  return <span className="tabular">{iso === null ? t('never') : formatDateTime(iso)}</span>;
}
