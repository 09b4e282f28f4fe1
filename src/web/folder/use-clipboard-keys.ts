import { useHotkeys } from '@mantine/hooks';
import type { Surroundings } from '../actions/action.ts';
import type { Offer } from '../actions/offer.ts';

type OfferOf = (hotkey: string) => Offer | undefined;

type Options = {
  /** What the keys that take rows away or copy them start. */
  readonly onTake: OfferOf;
  readonly onPaste: OfferOf;
  readonly around: Surroundings;
};

/** Cut, copy and paste of rows by their usual keys. Text that is selected is copied as ever, and dialogs and text fields keep their keys. */
export function useClipboardKeys({ onTake, onPaste, around }: Options): void {
  const on = (hotkey: string, offerOf: OfferOf) =>
    [
      hotkey,
      (event: KeyboardEvent) => {
        const offer = document.activeElement?.closest('#overlays') ? undefined : offerOf(hotkey);
        if (offer === undefined) return;
        event.preventDefault();
        offer.run(around);
      },
      { preventDefault: false },
    ] as const;
  const take: OfferOf = (hotkey) => (window.getSelection()?.isCollapsed === false ? undefined : onTake(hotkey));
  useHotkeys([[...on('mod+X', take)], [...on('mod+C', take)], [...on('mod+V', onPaste)]]);
}
