import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { IconLogin2 } from '@tabler/icons-react';
import { useState } from 'react';
import { currentPath, servicePath, signInUrl } from '../base.ts';
import { checkSession } from './session.ts';

const WINDOW = 'popup,width=520,height=720';

/** Over a page whose session ended: signing in happens in a window of its own, so that the page and its uploads stay. */
export function SessionEndedPrompt() {
  const [waiting, setWaiting] = useState(false);
  const open = () => {
    const opened = window.open(signInUrl(servicePath('signed-in')), 'svc-sign-in', WINDOW);
    if (opened === null) window.location.assign(signInUrl(currentPath()));
    else setWaiting(true);
  };
  return (
    <Modal opened onClose={() => undefined} withCloseButton={false} closeOnEscape={false} closeOnClickOutside={false} title="Your session has ended" centered overlayProps={{ blur: 10, backgroundOpacity: 0.6 }} zIndex={500}>
      <Stack>
        <Text>Sign in again to go on. This page stays as it is, and uploads under way go on afterwards.</Text>
        {waiting && (
          <Text size="sm" c="dimmed" role="status">
            Waiting for you to sign in in the other window…
          </Text>
        )}
        <Group justify="flex-end">
          {waiting && (
            <Button variant="default" onClick={() => void checkSession()}>
              Check session
            </Button>
          )}
          <Button onClick={open} leftSection={<IconLogin2 size={18} />} data-autofocus>
            Sign in
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
