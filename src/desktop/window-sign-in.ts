import type { DesktopSignIn } from '../client/desktop-sign-in.ts';
import type { Account, Found } from './account.ts';
import { sentenceOf } from './sentence.ts';
import type { Screen } from './screens.ts';

export type WindowSignInParts = {
  readonly account: Account;
  /** Opens an address in the system's browser. */
  readonly openOutside: (url: string) => void;
  readonly onSignedIn: (found: Found & { readonly isKept: boolean }) => Promise<void>;
  readonly onRefused: (screen: Screen) => Promise<void>;
};

/** The sign-in of one window: one at a time, in the system's browser. */
export class WindowSignIn {
  readonly #parts: WindowSignInParts;
  #current: DesktopSignIn | undefined;

  constructor(parts: WindowSignInParts) {
    this.#parts = parts;
  }

  /** @param show - shows a screen. The result of the sign-in is shown later. */
  async start(show: (screen: Screen) => unknown): Promise<void> {
    const { account, openOutside } = this.#parts;
    this.cancel();
    try {
      const signIn = await account.beginSignIn();
      this.#current = signIn;
      openOutside(signIn.url);
      await show({ kind: 'signing-in', server: account.profile.server, url: signIn.url });
      void this.#finish(signIn);
    } catch (error) {
      await show({ kind: 'not-signed-in', message: sentenceOf(error) });
    }
  }

  cancel(): void {
    this.#current?.close();
    this.#current = undefined;
  }

  async #finish(signIn: DesktopSignIn): Promise<void> {
    const { account, onSignedIn, onRefused } = this.#parts;
    try {
      await onSignedIn(await account.signedIn(await signIn.credential));
    } catch (error) {
      if (this.#current === signIn) await onRefused({ kind: 'not-signed-in', message: sentenceOf(error) });
    } finally {
      signIn.close();
    }
  }
}
