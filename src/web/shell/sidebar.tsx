import { CloseButton, ScrollArea, Skeleton, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { IconFilter, IconKey, IconPlugConnected, IconShieldLock } from '@tabler/icons-react';
import { useState } from 'react';
import { NavLink } from 'react-router';
import { failureOf } from '../../transfer/failure.ts';
import { explainFailure } from '../api/explain-failure.ts';
import { providersQuery } from '../api/queries.ts';
import { useAccount } from '../session/use-session.ts';
import { t } from '../words/words.ts';
import { ProviderBranch } from './provider-branch.tsx';
import classes from './sidebar.module.css';

/** Up to this number of providers, all are expanded at first. */
const FEW_PROVIDERS = 3;

/** The providers and their buckets with a filter, and links to the pages of tools, API keys and the administration. */
export function Sidebar() {
  const [filter, setFilter] = useState('');
  const providers = useQuery(providersQuery);
  const { isAdmin, hasApiKeys, s3 } = useAccount();
  return (
    <nav className={classes.nav} aria-label={t('Storage')}>
      {providers.data?.length !== 0 && (
        <TextInput
          className={classes.filter}
          size="sm"
          placeholder={t('Filter buckets')}
          aria-label={t('Filter providers and buckets')}
          value={filter}
          onChange={(event) => setFilter(event.currentTarget.value)}
          leftSection={<IconFilter size={16} />}
          rightSection={
            filter !== '' && <CloseButton size="sm" aria-label={t('Clear the filter')} onClick={() => setFilter('')} />
          }
        />
      )}
      <ScrollArea className={classes.scroll} type="auto" scrollbarSize={8}>
        {providers.isPending && <Skeleton h={120} w="auto" mx="sm" />}
        {providers.error !== null && (
          <Text size="sm" c="dimmed" px="md" py="xs" role="alert">
            {explainFailure(failureOf(providers.error))}
          </Text>
        )}
        <ul className={classes.list}>
          {providers.data?.map((provider) => (
            <ProviderBranch
              key={provider.name}
              provider={provider.name}
              filter={filter}
              startsOpen={providers.data.length <= FEW_PROVIDERS}
            />
          ))}
        </ul>
      </ScrollArea>
      {(isAdmin || hasApiKeys || s3 !== null) && (
        <ul className={classes.list}>
          {s3 !== null && <PageLink to="/tools" icon={IconPlugConnected} label={t('Connect a tool')} />}
          {hasApiKeys && <PageLink to="/keys" icon={IconKey} label={t('API keys')} />}
          {isAdmin && <PageLink to="/admin" icon={IconShieldLock} label={t('Administration')} />}
        </ul>
      )}
    </nav>
  );
}

function PageLink({ to, icon: Icon, label }: { to: string; icon: typeof IconKey; label: string }) {
  return (
    <li>
      <NavLink to={to} className={classes.page ?? ''}>
        <Icon size={18} stroke={1.7} aria-hidden />
        {label}
      </NavLink>
    </li>
  );
}
