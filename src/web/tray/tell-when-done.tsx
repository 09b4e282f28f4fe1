import { Button, Text } from '@mantine/core';
import { IconBell } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import { t } from '../words/words.ts';

/** Shorter transfers end without a notification. */
const LONG_MS = 10_000;

/** Whether the user wants notifications, until the page is closed. */
const wanted = createStore(() => false);

type Notice = { readonly title: string; readonly detail: string };

/** Offers a system notification about the end of long transfers while the page is hidden. The browser asks for permission only after the user accepts. */
export function TellWhenDone({ isOver, notice: { title, detail } }: { isOver: boolean; notice: Notice }) {
  const isWanted = useStore(wanted);
  const [permission, setPermission] = useState(() => ('Notification' in window ? Notification.permission : undefined));
  const begun = useRef<number>(undefined);
  useEffect(() => {
    if (!isOver) {
      begun.current ??= Date.now();
      return;
    }
    const wasLong = begun.current !== undefined && Date.now() - begun.current > LONG_MS;
    begun.current = undefined;
    if (wasLong && isWanted && document.hidden && permission === 'granted') show(title, detail);
  }, [isOver, isWanted, permission, title, detail]);
  if (isOver || permission === undefined) return null;
  if (permission === 'denied') {
    return isWanted ? (
      <Text size="xs" c="dimmed" px="sm" py={6}>
        {t('Your browser blocks notifications from this page. Allow them in the settings of the browser.')}
      </Text>
    ) : null;
  }
  if (isWanted && permission === 'granted') return null;
  const want = async (): Promise<void> => {
    wanted.setState(true, true);
    setPermission(await Notification.requestPermission());
  };
  return (
    <Button variant="subtle" size="compact-xs" m={6} leftSection={<IconBell size={14} />} onClick={() => void want()}>
      {t('Tell me when it is done')}
    </Button>
  );
}

function show(title: string, body: string): void {
  try {
    const notification = new Notification(title, { body, tag: 'svc-transfers' });
    notification.addEventListener('click', () => {
      window.focus();
      notification.close();
    });
  } catch {
    // Browsers on phones only allow notifications from service workers. The title of the tab also shows the progress.
  }
}
