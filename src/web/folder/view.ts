import { useKeptText } from '../shell/kept-choice.ts';

export type View = 'list' | 'compact' | 'gallery';

/** The view of all folders, which is stored in the browser. */
export function useView(): readonly [view: View, choose: (view: View) => void] {
  const [kept, keep] = useKeptText('svc-view', 'localStorage');
  return [kept === 'compact' || kept === 'gallery' ? kept : 'list', keep];
}
