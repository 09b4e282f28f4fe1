import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { desktop, downloadTask, type SvcDesktop } from './desktop/desktop.ts';
import { tasks, uploads, watchPage } from './work/work.ts';
import { onSessionChange, sessionState } from './session/session.ts';
import { registerOfflinePage } from './offline/register.ts';
import { unfinishedByDesktop } from './desktop/native-uploads.ts';

watchPage();
if (desktop !== undefined) goOnWithDesktop(desktop);
else registerOfflinePage();
const root = document.getElementById('root');
if (root !== null) {
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
}

/** Continues the unfinished downloads and uploads of the desktop application, once the user is known to be signed in. */
function goOnWithDesktop(native: SvcDesktop): void {
  const stop = onSessionChange(() => {
    if (sessionState().status !== 'active') return;
    stop();
    void native
      .unfinishedDownloads()
      .then((downloads) => downloads.forEach((download) => void tasks.run(downloadTask(native, download))));
    void unfinishedByDesktop(native).then((unfinished) => uploads.add(unfinished));
  });
}
