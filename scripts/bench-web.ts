/** What somebody waits for who opens a folder on a slow line and a slow computer, beside what the line alone takes for the same bytes; and how a large folder scrolls. */
import { chromium, type Browser, type BrowserContext } from '@playwright/test';
import { SESSION_COOKIE } from '../src/access/credentials.ts';
import { startApp } from '../tests/support/app.ts';
import { startStubStorage } from '../tests/support/stub-storage.ts';
import { watchWire } from '../tests/support/wire.ts';
import { median } from './measuring/median.ts';

const ROUNDS = 5;
/** A fast 3G line and a cheap computer. */
const LINE = { bytesPerSecond: 1_600_000 / 8, latencyMs: 150, processorSlowdown: 4 };
const LIMITS = { rowsMs: 3_000, firstLoadBytes: 190_000, listingBytes: 15_000, framesPerSecond: 50 };
const MANY = 100_000;
const WHEEL_STEPS = 240;

type Opening = {
  readonly rowsMs: number;
  readonly bytes: number;
  readonly firstLoadBytes: number;
  readonly listingBytes: number;
};

const storage = await startStubStorage();
const app = await startApp({
  config: (config) => ({
    ...config,
    providers: (config['providers'] as { endpoint: string }[]).map((provider) => ({
      ...provider,
      endpoint: storage.url,
    })),
  }),
});
const session = (await app.signIn('ada')).cookie(app.origin, SESSION_COOKIE)!;
const browser = await chromium.launch({
  executablePath: process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu'],
});
try {
  const openings: Opening[] = [];
  for (let round = 0; round < ROUNDS; round += 1) openings.push(await open(browser));
  const [rowsMs, bytes, firstLoadBytes, listingBytes] = (
    ['rowsMs', 'bytes', 'firstLoadBytes', 'listingBytes'] as const
  ).map((figure) => median(openings.map((opening) => opening[figure])));
  const lineMs = (bytes! / LINE.bytesPerSecond) * 1_000;
  tell(
    `rows of a folder of 1,000 keys after ${rowsMs!.toFixed(0)} ms (the line alone takes ${lineMs.toFixed(0)} ms for the ${(bytes! / 1_000).toFixed(0)} kB)`,
    rowsMs!,
    LIMITS.rowsMs,
  );
  tell(`scripts, styles and page: ${(firstLoadBytes! / 1_000).toFixed(0)} kB`, firstLoadBytes!, LIMITS.firstLoadBytes);
  tell(`a listing of 1,000 rows: ${(listingBytes! / 1_000).toFixed(1)} kB`, listingBytes!, LIMITS.listingBytes);
  const framesPerSecond = await scroll(browser);
  tell(
    `${MANY} rows scroll with ${framesPerSecond.toFixed(0)} frames a second`,
    -framesPerSecond,
    -LIMITS.framesPerSecond,
  );
} finally {
  await browser.close();
  await app.close();
  await storage.close();
}

/** Opens the folder with an empty cache. The time is the page's own, from the navigation to the frame with the rows: what the test tool takes for itself on a slowed processor is none of it. */
async function open(chrome: Browser): Promise<Opening> {
  const context = await signedIn(chrome);
  const page = await context.newPage();
  const wire = await watchWire(page);
  await page.addInitScript(() => {
    const seen = new MutationObserver(() => {
      if (document.querySelectorAll('[role=row]').length < 4) return;
      seen.disconnect();
      requestAnimationFrame(() => requestAnimationFrame(() => performance.mark('rows')));
    });
    seen.observe(document, { childList: true, subtree: true });
  });
  const devTools = await context.newCDPSession(page);
  await devTools.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: LINE.latencyMs,
    downloadThroughput: LINE.bytesPerSecond,
    uploadThroughput: LINE.bytesPerSecond,
  });
  await devTools.send('Emulation.setCPUThrottlingRate', { rate: LINE.processorSlowdown });
  const answer = await page.goto(folder(1_000), { waitUntil: 'commit' });
  await page.getByRole('row').nth(3).waitFor();
  await page.waitForFunction(() => performance.getEntriesByName('rows').length > 0);
  const rowsMs = await page.evaluate(() => performance.getEntriesByName('rows')[0]!.startTime);
  const named = [...(await answer!.text()).matchAll(/(?:src|href)="\.\/(assets\/[^"]+)"/g)].map(([, path]) =>
    path!.replaceAll('.', '\\.'),
  );
  const opening = {
    rowsMs,
    bytes: wire.bytes(),
    firstLoadBytes: wire.bytes(new RegExp(['/p/main/files', ...named].join('|'))),
    listingBytes: wire.bytes(/\/objects\?/),
  };
  await context.close();
  return opening;
}

/** Turns the wheel over a folder of which everything is loaded. @returns frames a second. */
async function scroll(chrome: Browser): Promise<number> {
  const context = await signedIn(chrome);
  const page = await context.newPage();
  await page.goto(folder(MANY));
  await page.getByRole('button', { name: 'Load all' }).click();
  await page.getByText(`${MANY.toLocaleString('en')} items`, { exact: true }).waitFor({ timeout: 120_000 });
  const seconds = await page.evaluate(async (steps) => {
    const grid = document.querySelector('[role=grid]')!;
    const began = performance.now();
    for (let step = 0; step < steps; step += 1) {
      grid.scrollTop = step * 60;
      await new Promise(requestAnimationFrame);
    }
    return (performance.now() - began) / 1_000;
  }, WHEEL_STEPS);
  await context.close();
  return WHEEL_STEPS / seconds;
}

async function signedIn(chrome: Browser): Promise<BrowserContext> {
  const context = await chrome.newContext({ locale: 'en-GB' });
  await context.addCookies([
    { name: SESSION_COOKIE, value: session, url: app.origin, httpOnly: true, sameSite: 'Lax' },
  ]);
  return context;
}

function folder(count: number): string {
  return `${app.origin}/p/main/files?prefix=${count}%2F`;
}

/** @param figure - at most `limit`; both are negative where more is better. */
function tell(text: string, figure: number, limit: number): void {
  const reached = figure <= limit;
  console.log(`${text}: ${reached ? 'reached' : 'MISSED'} (limit ${Math.abs(limit)})`);
  if (!reached) process.exitCode = 1;
}
