// A file of their own, which comes before the styles of the page, because a later rule wins over an earlier one.
import './components.css';
import '@mantine/notifications/styles.css';
import './global.css';
import { prefetchListing } from './api/listing-request.ts';
import { parsed } from './api/parsed.ts';
import { dropPrefetched, prefetchJson, WAIT_MS } from './api/prefetch.ts';
import { rpcBody, prefetchRpc } from './api/rpc-request.ts';
import { servicePath, SIGN_OUT_PATH } from './base.ts';
import { isSession } from './session/is-session.ts';
import { onAnnouncement } from './session/tabs.ts';
import { language } from './words/language.ts';
import { loadWords } from './words/words.ts';

const { origin, pathname } = window.location;
// The pages about signing in and out do not begin with the session.
if (![SIGN_OUT_PATH.slice(1), 'sign-in', 'signed-in', 'signed-out'].map(servicePath).includes(pathname))
  prefetchJson(origin + servicePath('v1/auth/session'), prefetchAnswers, AbortSignal.timeout(WAIT_MS));
let wasLeft = false;
window.addEventListener('blur', askNothingAhead);
onAnnouncement(askNothingAhead);
document.documentElement.lang = language;
// Load the messages before the page, because modules of the page use them in constants.
void loadWords()
  .then(() => import('./start.tsx'))
  .catch((error: unknown) => {
    console.error(error);
    document.querySelector('.late')?.classList.remove('late');
  });

/**
 * Asks for what the page shows to a signed-in user, as soon as the answer to the session check says that there is one, and hands the answer on.
 *
 * The browser has sent the session check with the document (`sessionPreload`), so that it costs no round trip.
 */
async function prefetchAnswers(answer: Response): Promise<Response> {
  const text = await answer.text();
  if (!wasLeft && answer.ok && isSession(parsed(text))) {
    prefetchRpc(rpcBody(['initialize'], [{}]));
    prefetchListing(window.location);
  }
  // Some statuses allow no body, not even an empty one.
  return new Response(text || null, answer);
}

/** Somebody else may sign in where the user goes. */
function askNothingAhead(): void {
  wasLeft = true;
  dropPrefetched();
}
