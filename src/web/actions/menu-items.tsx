import { Loader, Menu, Text } from '@mantine/core';
import type { Offer } from './offer.ts';
import { useSurroundings } from './use-surroundings.ts';

/** The items of a menu: what is offered, or that the answer of the service is awaited. */
export function MenuItems({ offers, pending, clearSelection }: { offers: readonly Offer[]; pending: boolean; clearSelection?: () => void }) {
  const around = useSurroundings(clearSelection);
  if (pending) {
    return (
      <Menu.Item disabled leftSection={<Loader size={14} />}>
        Asking what you may do…
      </Menu.Item>
    );
  }
  if (offers.length === 0) {
    return (
      <Menu.Item disabled>
        <Text size="sm">Your policies allow no action here</Text>
      </Menu.Item>
    );
  }
  const item = ({ id, label, icon: Picture, destructive, run }: Offer) => (
    <Menu.Item key={id} leftSection={<Picture size={17} stroke={1.7} />} {...(destructive === true ? { color: 'var(--mantine-color-error)' } : {})} onClick={() => run(around)}>
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
