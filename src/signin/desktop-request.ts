import type { DesktopRequest } from './pending-login.ts';

export const DESKTOP_CLIENT_ID = 'svc-desktop';

export type DesktopRequestCheck =
  | { readonly outcome: 'accepted'; readonly desktop: DesktopRequest }
  /** 400, and no redirect: neither the client nor the redirect can be trusted. */
  | { readonly outcome: 'refused'; readonly detail: string }
  /** Redirect there: it carries `error`, `error_description` and `state`. */
  | { readonly outcome: 'redirect'; readonly redirectTo: string };

/** Whether an authorize request comes from a desktop client, rather than from a browser that signs itself in. */
export function isDesktopRequest(_query: URLSearchParams): boolean {
  throw new Error('not built yet');
}

/** @see spec "Endpoints", Family B, desktop authorize */
export function checkDesktopRequest(_query: URLSearchParams): DesktopRequestCheck {
  throw new Error('not built yet');
}

/** Where a desktop client learns that its sign-in failed with `error`. */
export function desktopFailureUrl(_desktop: DesktopRequest, _error: unknown): string {
  throw new Error('not built yet');
}

/** Where a desktop client receives its code. */
export function desktopCodeUrl(_desktop: DesktopRequest, _code: string): string {
  throw new Error('not built yet');
}
