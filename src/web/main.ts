import { sendListingAhead } from './api/listing-request.ts';
import { rpcBody, sendRpcAhead } from './api/rpc-request.ts';
import { SESSION_CALLS } from './session/session-calls.ts';
import { language } from './words/language.ts';
import { loadWords } from './words/words.ts';

// Request the session and the listing of the folder while the rest of the page is loading. The pages about signing in and out need neither.
if (!/\/sign(?:-in|ed-in|ed-out)$/.test(window.location.pathname)) sendRpcAhead(rpcBody(...SESSION_CALLS));
sendListingAhead(window.location);
document.documentElement.lang = language;
// Load the messages before the page, because modules of the page use them in constants.
void loadWords()
  .then(() => import('./start.tsx'))
  .catch((error: unknown) => {
    console.error(error);
    document.querySelector('.late')?.classList.remove('late');
  });
