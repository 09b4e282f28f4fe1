import { useMergedRef } from '@mantine/hooks';
import { useLayoutEffect, useRef, type ComponentProps, type MouseEvent } from 'react';

type Properties = ComponentProps<'button'> & { readonly 'data-loading'?: boolean; readonly 'data-disabled'?: boolean };

/**
 * The element of every button. While its work is under way it ignores clicks but is not disabled, because a disabled element loses the focus. A button that goes
 * while it has the focus leaves it to its dialog or panel, or takes it again when it comes back, such as the "Try again" of what fails once more.
 */
export function ButtonElement({ disabled, onClick, type = 'button', ref, ...rest }: Properties) {
  const button = useRef<HTMLButtonElement>(null);
  const merged = useMergedRef(ref, button);
  useLayoutEffect(() => {
    const element = button.current;
    if (element === null) return;
    if (nameOf(element) === gone && document.activeElement === document.body) element.focus({ preventScroll: true });
    return () => {
      if (document.activeElement === element) leaveFocus(element);
    };
  }, []);
  const isBusy = rest['data-loading'] === true && rest['data-disabled'] !== true;
  if (!isBusy) return <button {...rest} ref={merged} type={type} disabled={disabled} onClick={onClick} />;
  return <button {...rest} ref={merged} type={type} aria-disabled onClick={ignore} />;
}

/** What keeps the focus of a button that goes, so that the next keys are not those of the page behind it. */
const KEEPERS = '[role="dialog"], aside, aside section';

/** The name of the button that took the focus with it, until something else has the focus. */
let gone: string | undefined;
document.addEventListener('focusin', () => (gone = undefined));

/** Moves the focus to the nearest keeper that stays. */
function leaveFocus(element: Element): void {
  gone = nameOf(element);
  const around: HTMLElement[] = [];
  for (let at = element.closest<HTMLElement>(KEEPERS); at; at = at.parentElement?.closest<HTMLElement>(KEEPERS) ?? null)
    around.push(at);
  queueMicrotask(() => {
    const keeper = around.find((at) => at.isConnected);
    if (keeper === undefined || document.activeElement !== document.body) return;
    keeper.tabIndex = -1;
    keeper.focus({ preventScroll: true });
  });
}

function nameOf(element: Element): string {
  return element.ariaLabel ?? element.textContent;
}

function ignore(event: MouseEvent): void {
  event.preventDefault();
  event.stopPropagation();
}
