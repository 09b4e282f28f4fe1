import { Loader, Menu, Text } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import type { Asking } from '../permissions/use-permissions.ts';
import { t } from '../words/words.ts';
import type { Offer } from './offer.ts';
import { useSurroundings } from './use-surroundings.ts';

/** The items of a menu: what is offered, or what has become of the question to the service. */
export function MenuItems({ offers, asking, clearSelection }: { offers: readonly Offer[]; asking?: Asking; clearSelection?: () => void }) {
  const around = useSurroundings(clearSelection);
  if (asking?.pending === true) {
    return (
      <Menu.Item disabled leftSection={<Loader size={14} />}>
        {t('Asking what you may do…')}
      </Menu.Item>
    );
  }
  if (asking !== undefined && asking.error !== null) {
    return (
      <Menu.Item closeMenuOnClick={false} leftSection={<IconRefresh size={17} />} onClick={asking.retry}>
        {t('What you may do could not be asked. Try again')}
      </Menu.Item>
    );
  }
  if (offers.length === 0) {
    return (
      <Menu.Item disabled>
        <Text size="sm">{t('There is nothing that you may do here')}</Text>
      </Menu.Item>
    );
  }
  const item = ({ id, label, icon: Picture, run }: Offer) => (
    <Menu.Item key={id} leftSection={<Picture size={17} stroke={1.7} />} onClick={() => run(around)}>
      {label}
    </Menu.Item>
  );
  const mild = offers.filter(({ destructive }) => destructive !== true);
  const destructive = offers.filter((offer) => offer.destructive === true);
  return (
    <>
      {mild.map(item)}
      {mild.length > 0 && destructive.length > 0 && <Menu.Divider />}
      {destructive.map(item)}
    </>
  );
}
