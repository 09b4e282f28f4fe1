import { Loader, Menu, Text } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import type { Asking } from '../permissions/use-permissions.ts';
import { t } from '../words/words.ts';
import type { Offer } from './offer.ts';
import { useSurroundings } from './use-surroundings.ts';

/** The items of a menu: the offered actions, or the state of the request for permissions. */
export function MenuItems({
  offers,
  asking,
  clearSelection,
}: {
  offers: readonly Offer[];
  asking?: Asking;
  clearSelection?: () => void;
}) {
  const around = useSurroundings(clearSelection);
  if (asking?.pending === true) {
    return (
      <Menu.Item disabled leftSection={<Loader size={14} />}>
        {t('Checking your permissions…')}
      </Menu.Item>
    );
  }
  if (asking !== undefined && asking.error !== null) {
    return (
      <Menu.Item closeMenuOnClick={false} leftSection={<IconRefresh size={17} />} onClick={asking.retry}>
        {t('Your permissions could not be checked. Try again')}
      </Menu.Item>
    );
  }
  if (offers.length === 0) {
    return (
      <Menu.Item disabled>
        <Text size="sm">{t('No actions available')}</Text>
      </Menu.Item>
    );
  }
  const item = ({ id, label, icon: Picture, hotkey, run }: Offer) => (
    <Menu.Item
      key={id}
      leftSection={<Picture size={17} stroke={1.7} />}
      {...(hotkey !== undefined && { rightSection: <Hotkey of={hotkey} /> })}
      onClick={() => run(around)}
    >
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

/** The shortcut of an action. It is hidden from screen readers, which read the shortcuts in the keyboard help; here it would lengthen every name. */
function Hotkey({ of }: { of: string }) {
  return (
    <Text span size="xs" c="dimmed" pl="md" visibleFrom="sm" aria-hidden>
      {of.replace('mod', t('Ctrl')).replace('Delete', t('Del')).replace(/^r$/, 'R')}
    </Text>
  );
}
