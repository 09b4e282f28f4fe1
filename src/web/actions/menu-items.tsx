import { Loader, Menu, Text } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import { useEffect, useRef } from 'react';
import type { Asking } from '../permissions/use-permissions.ts';
import { t } from '../words/words.ts';
import type { Offer } from './offer.ts';
import { useSurroundings } from './use-surroundings.ts';

/** An item that does nothing. It is not `disabled`, because the focus would stay on what is behind the menu, and the keys would act there. */
const INERT = { 'aria-disabled': true, 'data-disabled': true, closeMenuOnClick: false };

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
  const first = useRef<HTMLButtonElement>(null);
  const isPending = asking?.pending === true;
  const wasPending = useRef(isPending);
  // The item that said so had the focus, and is gone with it.
  useEffect(() => {
    if (wasPending.current && !isPending) first.current?.focus({ preventScroll: true });
    wasPending.current = isPending;
  }, [isPending]);
  if (isPending) {
    return (
      <Menu.Item {...INERT} leftSection={<Loader size={14} />}>
        {t('Checking your permissions…')}
      </Menu.Item>
    );
  }
  if (asking !== undefined && asking.error !== null) {
    return (
      <Menu.Item ref={first} closeMenuOnClick={false} leftSection={<IconRefresh size={17} />} onClick={asking.retry}>
        {t('Your permissions could not be checked. Try again')}
      </Menu.Item>
    );
  }
  if (offers.length === 0) {
    return (
      <Menu.Item ref={first} {...INERT}>
        <Text size="sm">{t('No actions available')}</Text>
      </Menu.Item>
    );
  }
  const mild = offers.filter(({ destructive }) => destructive !== true);
  const destructive = offers.filter((offer) => offer.destructive === true);
  const top = mild[0] ?? destructive[0];
  const item = ({ id, label, icon: Picture, hotkey, run }: Offer) => (
    <Menu.Item
      key={id}
      ref={id === top?.id ? first : null}
      leftSection={<Picture size={17} stroke={1.7} />}
      {...(hotkey !== undefined && { rightSection: <Hotkey of={hotkey} /> })}
      onClick={() => run(around)}
    >
      {label}
    </Menu.Item>
  );
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
