import type { Selection, Surroundings } from '../actions/action.ts';
import { Editing } from './editing.ts';
import { EditorDialog } from './editor-dialog.tsx';

let open: Editing | undefined;

/** Opens the editor for an object of a folder. */
export function openEditor({ place, entries: [entry] }: Selection, around: Surroundings): void {
  if (entry === undefined || open !== undefined) return;
  const object = { provider: place.provider, bucket: place.bucket, key: entry.key };
  open = new Editing(
    object,
    around,
    (editing) => <EditorDialog editing={editing} />,
    () => {
      open = undefined;
    },
  );
}
