import { useKeptText } from '../shell/kept-choice.ts';

/** How the folders show what is in them. */
export type View = 'list' | 'compact' | 'gallery';

/** The view that somebody chose in this browser, for all folders. */
export function useView(): readonly [view: View, choose: (view: View) => void] {
  const [kept, keep] = useKeptText('svc-view', 'localStorage');
  return [kept === 'compact' || kept === 'gallery' ? kept : 'list', keep];
}
