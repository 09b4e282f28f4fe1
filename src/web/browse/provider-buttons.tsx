import { Button } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import { offersOn } from '../actions/offer.ts';
import { actions } from '../actions/registry.ts';
import { useSurroundings } from '../actions/use-surroundings.ts';
import { usePermissions } from '../permissions/use-permissions.ts';
import { t } from '../words/words.ts';

/** The actions of the user on a provider. @param quiet - whether the buttons are small, because the page shows several providers. */
export function ProviderButtons({ provider, quiet = false }: { provider: string; quiet?: boolean }) {
  const target = { provider };
  const allowed = usePermissions(target);
  const around = useSurroundings();
  if (allowed.error !== null) {
    return (
      <Button variant="default" size="xs" leftSection={<IconRefresh size={15} />} onClick={allowed.retry}>
        {t('Your permissions could not be checked. Try again')}
      </Button>
    );
  }
  return offersOn(actions.provider, target, allowed).map(({ id, label, icon: Picture, run }) => (
    <Button
      key={id}
      {...(quiet
        ? { variant: 'default', size: 'xs', 'aria-label': t('{label} in {provider}', { label, provider }) }
        : {})}
      leftSection={<Picture size={quiet ? 15 : 18} />}
      onClick={() => run(around)}
    >
      {label}
    </Button>
  ));
}
