import { Button, Stack, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { IconHistory } from '@tabler/icons-react';
import { useState } from 'react';
import { Link } from 'react-router';
import { EmptyState } from '../shell/states.tsx';
import { DataTable } from '../table/data-table.tsx';
import { t } from '../words/words.ts';
import { auditQuery } from './admin-queries.ts';
import { useAsked } from './asked.ts';
import { columnsInLook, lookColumns } from './audit-columns.tsx';
import { AuditFilterForm, filterIn } from './audit-filter.tsx';
import { looksIn, type Look } from './audit-looks.ts';
import { ExportMenu } from './export-menu.tsx';
import { Loaded } from './loaded.tsx';
import { moreOf } from './paged.ts';
import type { AuditEntry } from './records.ts';
import { ShowMore } from './show-more.tsx';

/** The audit, the latest line first. The filters are in the URL, so that one person's day or one object's history can be linked. */
export function AuditTab() {
  const { search, formKey, ask } = useAsked();
  const filter = filterIn(search);
  const query = useInfiniteQuery(auditQuery(filter));
  return (
    <Stack gap="lg">
      <AuditFilterForm key={formKey} asked={search} onAsk={ask}>
        <ExportMenu filter={filter} />
        <Button variant="subtle" component={Link} to="/admin/audit/sinks">
          {t('Audit sinks')}
        </Button>
      </AuditFilterForm>
      <Loaded query={query}>
        {({ pages }) => (
          <Stack gap="md">
            {pages.some(({ complete }) => !complete) && (
              <Text size="sm" role="status">
                {t('Newer lines are still being indexed. Try again in a moment.')}
              </Text>
            )}
            <Looks looks={looksIn(pages.flatMap(({ lines }) => lines))} />
            <ShowMore more={moreOf(query)} />
          </Stack>
        )}
      </Loaded>
    </Stack>
  );
}

function Looks({ looks }: { readonly looks: readonly Look[] }) {
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  if (looks.length === 0)
    return (
      <EmptyState icon={IconHistory} title={t('Nothing in the audit')}>
        {t('No audit line matches these filters.')}
      </EmptyState>
    );
  return (
    <DataTable
      label={t('Audit')}
      columns={lookColumns(
        ([latest]) => open.has(idOf(latest)),
        ([latest]) => setOpen((before) => toggled(before, idOf(latest))),
      )}
      rows={looks}
      keyOf={([latest]) => idOf(latest)}
      below={(look) =>
        open.has(idOf(look[0])) && (
          <DataTable label={t('Lines')} columns={columnsInLook} rows={look} keyOf={idOf} sortable={false} />
        )
      }
      sortable={false}
    />
  );
}

function toggled(open: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const next = new Set(open);
  if (!next.delete(id)) next.add(id);
  return next;
}

function idOf({ instance, seq }: AuditEntry): string {
  return `${instance} ${seq}`;
}
