import { useParams } from 'react-router';
import { visibleText } from '../names/visible.ts';
import { Page } from '../shell/page.tsx';
import { t } from '../words/words.ts';
import { BucketTable } from './bucket-table.tsx';
import { ProviderButtons } from './provider-buttons.tsx';

/** The page of a provider at `/p/:provider`, with its buckets. */
export function ProviderPage() {
  const { provider = '' } = useParams();
  return (
    <Page title={visibleText(provider)} lead={t('Storage provider')} actions={<ProviderButtons provider={provider} />}>
      <BucketTable provider={provider} />
    </Page>
  );
}
