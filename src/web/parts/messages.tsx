import { Notifications } from '@mantine/notifications';

const SHOWN_MS = 5_000;

/** The short messages at the bottom of the page. What was told before they are loaded is shown then. */
export function Messages() {
  return <Notifications position="bottom-center" autoClose={SHOWN_MS} />;
}
