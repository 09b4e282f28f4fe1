import { rpcBody, sendAhead } from './api/rpc-request.ts';
import { SESSION_CALLS } from './session/session-calls.ts';
import { language } from './words/language.ts';
import { loadWords } from './words/words.ts';

// Who is signed in is asked while the rest of the page is on its way. The pages about signing in and out ask nothing.
if (!/\/sign(?:-in|ed-in|ed-out)$/.test(window.location.pathname)) sendAhead(rpcBody(...SESSION_CALLS));
document.documentElement.lang = language;
// The words come before the page, because modules of the page hold some in constants.
void loadWords().then(() => import('./start.tsx'));
