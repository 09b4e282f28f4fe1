import { onSessionChange, sessionState } from '../session/session.ts';
import { tasks, uploads } from '../work/work.ts';
import { downloadTask, type SvcDesktop } from './desktop.ts';
import { unfinishedByDesktop } from './native-uploads.ts';

/** Continues the unfinished downloads and uploads of the desktop application, once the user is known to be signed in. */
export function goOnWithDesktop(native: SvcDesktop): void {
  const stop = onSessionChange(() => {
    if (sessionState().status !== 'active') return;
    stop();
    void native
      .unfinishedDownloads()
      .then((downloads) => downloads.forEach((download) => void tasks.run(downloadTask(native, download))));
    void unfinishedByDesktop(native).then((unfinished) => uploads.add(unfinished));
  });
}
