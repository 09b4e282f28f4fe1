import { serverAddress } from '../client/server-address.ts';
import type { Account } from './account.ts';
import { sentenceOf } from './sentence.ts';
import type { Screen } from './screens.ts';
import type { WindowSignIn } from './window-sign-in.ts';

export type ScreenButtonParts = {
  readonly account: Account;
  readonly signIn: WindowSignIn;
  /** Opens an address in the system's browser. */
  readonly openOutside: (url: string) => void;
  readonly onServer: (server: string) => void;
  /** Asks the server again who is signed in, and shows the result later. */
  readonly onRetry: () => void;
  /** The screen that comes before the UI, if any. */
  readonly screenBefore: () => Screen | undefined;
};

/**
 * Handles a pressed button of a screen.
 *
 * @returns the next screen; undefined for the UI.
 */
export async function press(
  action: string,
  form: URLSearchParams,
  current: Screen | undefined,
  parts: ScreenButtonParts,
): Promise<Screen | undefined> {
  const { account, signIn, openOutside, onRetry, screenBefore } = parts;
  const { profile } = account;
  let next = current;
  switch (action) {
    case 'server':
      return chooseServer(form.get('server') ?? '', parts);
    case 'change-server':
      return { kind: 'choose-server' };
    case 'retry':
      onRetry();
      return { kind: 'connecting', server: profile.server };
    case 'sign-in':
      await signIn.start((screen) => (next = screen));
      return next;
    case 'cancel':
      signIn.cancel();
      return undefined;
    case 'keep-in-file':
    case 'keep-for-this-run':
      await profile.keepIn(action === 'keep-in-file' ? 'file' : 'this-run');
      return screenBefore();
    case 'open-in-browser':
      openOutside(`${profile.server}/`);
      return current;
    case 'go-on':
      return undefined;
    default:
      return current;
  }
}

function chooseServer(text: string, { onServer }: ScreenButtonParts): Screen {
  try {
    const written = text.includes('://') ? text.trim() : `https://${text.trim()}`;
    onServer(serverAddress(written));
    return { kind: 'connecting', server: written };
  } catch (error) {
    return { kind: 'choose-server', fault: sentenceOf(error) };
  }
}
