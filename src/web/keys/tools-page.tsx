import { Button, Code } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { IconPlugConnected } from '@tabler/icons-react';
import { useEffect } from 'react';
import { useSearchParams } from 'react-router';
import { S3_KEYS } from '../admin/key-kinds.ts';
import type { S3Endpoint } from '../session/session.ts';
import { useAccount } from '../session/use-session.ts';
import { Page } from '../shell/page.tsx';
import { EmptyState } from '../shell/states.tsx';
import { rich } from '../words/rich.ts';
import { t } from '../words/words.ts';
import { openConnectTool } from './connect-tool.tsx';
import { showS3Key } from './new-s3-key.tsx';
import { OwnKeys } from './own-keys.tsx';

const LEAD = t(
  'Each tool that speaks S3 gets a key of its own. It can do what you allow it here, and never more than the present policies allow with the groups that you had when you connected it.',
);

/** The page on which people connect tools, with their S3 keys. Its code is loaded when the page is first opened. */
export function ToolsPage() {
  const { s3, isAdmin } = useAccount();
  if (s3 !== null) return <Tools s3={s3} />;
  return (
    <Page title={t('Connect a tool')}>
      <EmptyState icon={IconPlugConnected} title={t('There is no S3 endpoint for tools')}>
        {isAdmin
          ? rich('To enable it, set {setting} in the configuration.', { setting: <Code>s3</Code> })
          : t('Ask an administrator if you need it.')}
      </EmptyState>
    </Page>
  );
}

function Tools({ s3 }: { s3: S3Endpoint }) {
  const client = useQueryClient();
  const [search, setSearch] = useSearchParams();
  const provider = search.get('provider');
  useEffect(() => {
    if (provider === null) return;
    openConnectTool(s3, client, { provider, bucket: search.get('bucket') ?? '', prefix: search.get('prefix') ?? '' });
    setSearch({}, { replace: true });
  }, [provider, search, setSearch, s3, client]);
  const connect = (
    <Button leftSection={<IconPlugConnected size={18} />} onClick={() => openConnectTool(s3, client)}>
      {t('Connect a tool')}
    </Button>
  );
  return (
    <Page title={t('Connect a tool')} lead={LEAD} actions={connect}>
      <OwnKeys kind={S3_KEYS} label={t('S3 keys')} show={(issued) => showS3Key(issued, s3)}>
        <EmptyState icon={IconPlugConnected} title={t('No tool is connected yet')}>
          {t('Connect one, and copy its configuration.')}
        </EmptyState>
      </OwnKeys>
    </Page>
  );
}
