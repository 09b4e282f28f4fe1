import { useEffect, useMemo } from 'react';
import { NEEDED_TO_COPY, NEEDED_TO_MOVE, type Selection, type Surroundings } from '../actions/action.ts';
import { faultOfTarget, namingFolder, putIntoFolder } from '../actions/into-folder.ts';
import { askAboutLeftOut } from '../actions/left-out.tsx';
import { naming } from '../actions/naming.ts';
import { permittedOf } from '../actions/offer.ts';
import { formatNumber } from '../format/format.ts';
import { useEntryPermissions, type RowActions } from '../permissions/entry-permissions.ts';
import { useFolderPermissions } from '../permissions/use-permissions.ts';
import { DropNote } from '../pointer/drop-note.tsx';
import type { PlaceUnder } from '../pointer/place-under.ts';
import { useDragOver } from './use-drag-over.ts';

type Properties = { readonly selection: Selection; readonly rowActions: RowActions; readonly around: Surroundings; /** Keeps its identity. */ readonly onEnd: (dragged: undefined) => void };

/** Rows on their way: says beside the pointer what letting go would do, and does it. */
export function DraggedRows({ selection, rowActions, around, onEnd }: Properties) {
  const permissions = useEntryPermissions(selection.place, selection.entries, rowActions);
  const { over, wantsCopy } = useDragOver(onEnd);
  const { movable, copyable } = useMemo(
    () => ({ movable: permittedOf(selection, NEEDED_TO_MOVE, permissions), copyable: permittedOf(selection, NEEDED_TO_COPY, permissions) }),
    // eslint-disable-next-line react-hooks/exhaustive-deps -- `permissions` is made anew on each render; what it holds changes with these
    [selection, rowActions, permissions.pending],
  );
  const isMove = movable !== undefined && !wantsCopy;
  const taken = isMove ? movable : copyable;
  if (permissions.pending) return <DropNote on={undefined} refused={false}>{naming(selection.entries)}</DropNote>;
  if (taken === undefined) return <DropNote on={undefined} refused>You may neither move nor copy this</DropNote>;
  if (over === undefined) {
    return (
      <DropNote on={undefined} refused={false}>
        {isMove ? 'Move' : 'Copy'} {naming(taken.entries)}
      </DropNote>
    );
  }
  return <Over key={isMove ? 'move' : 'copy'} taken={taken} isMove={isMove} over={over} around={around} />;
}

function Over({ taken, isMove, over: { element, place }, around }: { taken: Selection; isMove: boolean; over: PlaceUnder; around: Surroundings }) {
  const { mayHere, pending } = useFolderPermissions(place);
  const verb = isMove ? 'Move' : 'Copy';
  const fault = faultOfTarget(taken, place) ?? (pending || mayHere('objects:write') ? undefined : `You may not put anything into ${namingFolder(place)}.`);
  const isTaken = !pending && fault === undefined;
  useEffect(() => {
    const hover = (event: DragEvent): void => {
      if (!isTaken || !isWithin(element, event)) return;
      event.preventDefault();
      if (event.dataTransfer) event.dataTransfer.dropEffect = isMove ? 'move' : 'copy';
    };
    const drop = (event: DragEvent): void => {
      if (!isTaken || !isWithin(element, event)) return;
      event.preventDefault();
      askAboutLeftOut(taken, `${verb} to ${namingFolder(place)}`, () => putIntoFolder(taken, place, isMove, around));
    };
    document.addEventListener('dragover', hover);
    document.addEventListener('drop', drop, true);
    return () => {
      document.removeEventListener('dragover', hover);
      document.removeEventListener('drop', drop, true);
    };
  }, [isTaken, element, taken, place, verb, isMove, around]);
  const leftOut = taken.leftOut?.length ?? 0;
  return (
    <DropNote on={element} refused={fault !== undefined}>
      {pending ? 'Asking what you may do there…' : (fault ?? `${verb} ${naming(taken.entries)} to ${namingFolder(place)}`)}
      {isTaken && leftOut > 0 && ` · ${formatNumber(leftOut)} of ${formatNumber(taken.entries.length + leftOut)} ${leftOut === 1 ? 'is' : 'are'} not allowed`}
    </DropNote>
  );
}

function isWithin(element: HTMLElement, { target }: DragEvent): boolean {
  return target instanceof Node && element.contains(target);
}
