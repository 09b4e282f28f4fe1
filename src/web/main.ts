// A file of their own, which comes before the styles of the page, because a later rule wins over an earlier one.
import './components.css';
import '@mantine/notifications/styles.css';
import './global.css';
import { prefetchJson } from './api/prefetch.ts';
import { prefetchListing } from './api/listing-request.ts';
import { rpcBody, prefetchRpc } from './api/rpc-request.ts';
import { servicePath, SIGN_OUT_PATH } from './base.ts';
import { language } from './words/language.ts';
import { loadWords } from './words/words.ts';

const { origin, pathname } = window.location;
// The pages about signing in and out do not begin with the session.
if (!pathname.endsWith(SIGN_OUT_PATH) && !/\/sign(?:-in|ed-in|ed-out)$/.test(pathname))
  void prefetchAnswers().catch(() => undefined);
document.documentElement.lang = language;
// Load the messages before the page, because modules of the page use them in constants.
void loadWords()
  .then(() => import('./start.tsx'))
  .catch((error: unknown) => {
    console.error(error);
    document.querySelector('.late')?.classList.remove('late');
  });

/**
 * Checks the session while the rest of the page is loading, and then asks for what the page shows to a signed-in user.
 *
 * The browser has sent the first request with the document (`sessionPreload`), so that the check costs no round trip.
 */
async function prefetchAnswers(): Promise<void> {
  const { ok } = await prefetchJson(origin + servicePath('v1/auth/session'));
  if (!ok) return;
  prefetchRpc(rpcBody(['initialize'], [{}]));
  prefetchListing(window.location);
}
