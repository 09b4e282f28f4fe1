import { Button, Code } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { IconKey, IconPlus } from '@tabler/icons-react';
import { useEffect } from 'react';
import { useSearchParams } from 'react-router';
import { API_KEYS } from '../admin/key-kinds.ts';
import { useAccount } from '../session/use-session.ts';
import { Page } from '../shell/page.tsx';
import { EmptyState } from '../shell/states.tsx';
import { rich } from '../words/rich.ts';
import { t } from '../words/words.ts';
import { openCreateKey } from './create-key.tsx';
import { OwnKeys } from './own-keys.tsx';
import { showCredential } from './shown-once.tsx';

const LEAD = t(
  'Credentials for scripts. A key can do what its scope allows, and never more than the present policies allow with the groups that you had when you created it. When your groups change, revoke it and create a new one.',
);

/** The page with the user's API keys. Its code is loaded when the page is first opened. */
export function KeysPage() {
  const { hasApiKeys, isAdmin } = useAccount();
  const client = useQueryClient();
  const [search, setSearch] = useSearchParams();
  const provider = search.get('provider');
  useEffect(() => {
    if (provider === null || !hasApiKeys) return;
    openCreateKey(client, { provider, bucket: search.get('bucket') ?? '', prefix: search.get('prefix') ?? '' });
    setSearch({}, { replace: true });
  }, [provider, search, setSearch, hasApiKeys, client]);
  if (!hasApiKeys)
    return (
      <Page title={t('API keys')}>
        <EmptyState icon={IconKey} title={t('API keys are disabled')}>
          {isAdmin
            ? rich('To enable them, set {setting} in the configuration.', { setting: <Code>auth.api_keys</Code> })
            : t('Ask an administrator if you need one.')}
        </EmptyState>
      </Page>
    );
  const create = (
    <Button leftSection={<IconPlus size={18} />} onClick={() => openCreateKey(client)}>
      {t('Create API key')}
    </Button>
  );
  return (
    <Page title={t('API keys')} lead={LEAD} actions={create}>
      <OwnKeys kind={API_KEYS} label={t('API keys')} show={({ secret }) => showCredential(secret)}>
        <EmptyState icon={IconKey} title={t('No API keys yet')}>
          {t('Create one for a script or a job, with no more rights than it needs.')}
        </EmptyState>
      </OwnKeys>
    </Page>
  );
}
