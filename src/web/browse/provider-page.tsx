import { Button } from '@mantine/core';
import { useParams } from 'react-router';
import { offered } from '../actions/menu-items.tsx';
import { actions } from '../actions/registry.ts';
import { useSurroundings } from '../actions/use-surroundings.ts';
import { usePermissions } from '../permissions/use-permissions.ts';
import { Page } from '../shell/page.tsx';
import { BucketTable } from './bucket-table.tsx';

/** `/p/:provider`: the buckets of one provider. */
export function ProviderPage() {
  const { provider = '' } = useParams();
  const target = { provider };
  const allowed = usePermissions(target);
  const around = useSurroundings();
  const buttons = offered(actions.provider, target, allowed).map(({ id, label, icon: Picture, run }) => (
    <Button key={id} leftSection={<Picture size={18} />} onClick={() => run(target, around)}>
      {label}
    </Button>
  ));
  return (
    <Page title={provider} lead="Storage provider" actions={buttons}>
      <BucketTable provider={provider} />
    </Page>
  );
}
