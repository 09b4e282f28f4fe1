import type { Page } from '@playwright/test';

/** The requests for data that the page has sent: everything except the page, its files and the session check. */
export function watchData(page: Page): readonly string[] {
  const asked: string[] = [];
  page.on(
    'request',
    (request) =>
      /\/(?:api|rpc|v1)\b(?!\/auth\/session$)/.test(new URL(request.url()).pathname) && asked.push(request.url()),
  );
  page.on('websocket', (socket) => asked.push(socket.url()));
  return asked;
}
