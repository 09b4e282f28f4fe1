import type { Page } from '@playwright/test';

export type Wire = {
  /** Bytes that came over the wire, headers included, for addresses that match. */
  bytes(address?: RegExp): number;
};

/** Counts what a page loads as the browser received it, before it was decompressed. */
export async function watchWire(page: Page): Promise<Wire> {
  const client = await page.context().newCDPSession(page);
  const addresses = new Map<string, string>();
  const received = new Map<string, number>();
  client.on('Network.requestWillBeSent', ({ requestId, request }) => void addresses.set(requestId, request.url));
  client.on(
    'Network.loadingFinished',
    ({ requestId, encodedDataLength }) => void received.set(requestId, encodedDataLength),
  );
  await client.send('Network.enable');
  return {
    bytes: (address = /./) =>
      [...received].filter(([id]) => address.test(addresses.get(id) ?? '')).reduce((sum, [, bytes]) => sum + bytes, 0),
  };
}
