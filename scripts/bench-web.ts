/** What somebody waits for who opens a folder on a slow line and a slow computer, beside what the line alone takes for the same bytes. */
import { chromium, type Browser } from '@playwright/test';
import { SESSION_COOKIE } from '../src/access/credentials.ts';
import { startApp } from '../tests/support/app.ts';
import { startStubStorage } from '../tests/support/stub-storage.ts';
import { watchWire } from '../tests/support/wire.ts';

const ROUNDS = 5;
/** A fast 3G line and a cheap computer. */
const LINE = { bytesPerSecond: 1_600_000 / 8, latencyMs: 150, processorSlowdown: 4 };
const LIMITS = { rowsMs: 3_000, firstLoadBytes: 230_000, listingBytes: 15_000 };

type Opening = { readonly rowsMs: number; readonly bytes: number; readonly firstLoadBytes: number; readonly listingBytes: number };

const storage = await startStubStorage();
const app = await startApp({ config: (config) => ({ ...config, providers: (config['providers'] as { endpoint: string }[]).map((provider) => ({ ...provider, endpoint: storage.url })) }) });
const session = (await app.signIn('ada')).cookie(app.origin, SESSION_COOKIE)!;
const browser = await chromium.launch({ executablePath: process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu'] });
try {
  const openings: Opening[] = [];
  for (let round = 0; round < ROUNDS; round += 1) openings.push(await open(browser));
  const [rowsMs, bytes, firstLoadBytes, listingBytes] = (['rowsMs', 'bytes', 'firstLoadBytes', 'listingBytes'] as const).map((figure) => median(openings.map((opening) => opening[figure])));
  const lineMs = (bytes! / LINE.bytesPerSecond) * 1_000;
  tell(`rows of a folder of 1,000 keys after ${rowsMs!.toFixed(0)} ms (the line alone takes ${lineMs.toFixed(0)} ms for the ${(bytes! / 1_000).toFixed(0)} kB)`, rowsMs!, LIMITS.rowsMs);
  tell(`scripts, styles and page: ${(firstLoadBytes! / 1_000).toFixed(0)} kB`, firstLoadBytes!, LIMITS.firstLoadBytes);
  tell(`a listing of 1,000 rows: ${(listingBytes! / 1_000).toFixed(1)} kB`, listingBytes!, LIMITS.listingBytes);
} finally {
  await browser.close();
  await app.close();
  await storage.close();
}

/** Opens the folder with an empty cache. */
async function open(chrome: Browser): Promise<Opening> {
  const context = await chrome.newContext();
  await context.addCookies([{ name: SESSION_COOKIE, value: session, url: app.origin, httpOnly: true, sameSite: 'Lax' }]);
  const page = await context.newPage();
  const wire = await watchWire(page);
  const devTools = await context.newCDPSession(page);
  await devTools.send('Network.emulateNetworkConditions', { offline: false, latency: LINE.latencyMs, downloadThroughput: LINE.bytesPerSecond, uploadThroughput: LINE.bytesPerSecond });
  await devTools.send('Emulation.setCPUThrottlingRate', { rate: LINE.processorSlowdown });
  const began = performance.now();
  await page.goto(`${app.origin}/p/main/files?prefix=1000%2F`, { waitUntil: 'commit' });
  await page.getByRole('row').nth(3).waitFor();
  const rowsMs = performance.now() - began;
  const opening = { rowsMs, bytes: wire.bytes(), firstLoadBytes: wire.bytes(/\/assets\/(?:index|shared|color-scheme)-|\/p\/main\/files/), listingBytes: wire.bytes(/\/objects\?/) };
  await context.close();
  return opening;
}

function tell(text: string, figure: number, limit: number): void {
  const reached = figure <= limit;
  console.log(`${text}: ${reached ? 'reached' : 'MISSED'} (limit ${limit})`);
  if (!reached) process.exitCode = 1;
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!;
}
