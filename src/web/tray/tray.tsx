import { useQueryClient } from '@tanstack/react-query';
import { Suspense, useEffect } from 'react';
import { useStore } from 'zustand';
import { refreshListing } from '../api/queries.ts';
import { Boundary } from '../parts/boundary.tsx';
import { lazyPart } from '../parts/part.ts';
import { conflicts, lastStored, remembered, tasks, uploads } from '../work/work.ts';

const TrayPanel = lazyPart(() => import('./tray-panel.tsx').then((module) => module.TrayPanel));
const ConflictDialog = lazyPart(() => import('./conflict-dialog.tsx').then((module) => module.ConflictDialog));

const REFRESH_AFTER_MS = 700;

/** The transfers at the bottom right of every page, and the dialog about taken names. */
export function Tray() {
  const queue = useStore(uploads.view);
  const work = useStore(tasks.view);
  const questions = useStore(conflicts.questions);
  useRefreshAfterUploads();
  const hasWork = queue.uploads.length > 0 || work.length > 0 || remembered.list().length > 0;
  return (
    <Boundary what="message" about={`${hasWork} ${questions.length}`}>
      <Suspense fallback={null}>
        {hasWork && <TrayPanel />}
        {questions.length > 0 && <ConflictDialog />}
      </Suspense>
    </Boundary>
  );
}

/** Refreshes the listings of the target buckets shortly after the last upload, once for many files. */
function useRefreshAfterUploads(): void {
  const client = useQueryClient();
  useEffect(() => {
    let timer: number | undefined;
    const buckets = new Map<string, { provider: string; bucket: string }>();
    const unsubscribe = lastStored.subscribe((target) => {
      if (target === undefined) return;
      const { provider, bucket } = target;
      buckets.set(`${provider} ${bucket}`, { provider, bucket });
      window.clearTimeout(timer);
      timer = window.setTimeout(() => {
        for (const place of buckets.values()) void refreshListing(client, place);
        buckets.clear();
      }, REFRESH_AFTER_MS);
    });
    return () => {
      unsubscribe();
      window.clearTimeout(timer);
    };
  }, [client]);
}
