import { Notifications } from '@mantine/notifications';

const SHOWN_MS = 5_000;

/** The short messages at the bottom of the page. Messages from before it was loaded are shown as well. */
export function Messages() {
  return <Notifications position="bottom-center" autoClose={SHOWN_MS} />;
}
