import { sendListingAhead } from './api/listing-request.ts';
import { rpcBody, sendRpcAhead } from './api/rpc-request.ts';
import { SESSION_CALLS } from './session/session-calls.ts';
import { language } from './words/language.ts';
import { loadWords } from './words/words.ts';

// Who is signed in, and what is in the folder, is asked while the rest of the page is on its way. The pages about signing in and out ask nothing.
if (!/\/sign(?:-in|ed-in|ed-out)$/.test(window.location.pathname)) sendRpcAhead(rpcBody(...SESSION_CALLS));
sendListingAhead(window.location);
document.documentElement.lang = language;
// The words come before the page, because modules of the page hold some in constants.
void loadWords().then(() => import('./start.tsx'));
