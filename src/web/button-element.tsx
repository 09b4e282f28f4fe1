import type { ComponentProps, MouseEvent } from 'react';

type Properties = ComponentProps<'button'> & { readonly 'data-loading'?: boolean; readonly 'data-disabled'?: boolean };

/** The element of every button. While its work is under way it ignores clicks but is not disabled, because a disabled element loses the focus. */
export function ButtonElement({ disabled, onClick, type = 'button', ...rest }: Properties) {
  const isBusy = rest['data-loading'] === true && rest['data-disabled'] !== true;
  if (!isBusy) return <button {...rest} type={type} disabled={disabled} onClick={onClick} />;
  return <button {...rest} type={type} aria-disabled onClick={ignore} />;
}

function ignore(event: MouseEvent): void {
  event.preventDefault();
  event.stopPropagation();
}
