import { useEffect, useMemo } from 'react';
import { NEEDED_TO_COPY, NEEDED_TO_MOVE, type Selection, type Surroundings } from '../actions/action.ts';
import { faultOfTarget, namingFolder, putIntoFolder } from '../actions/into-folder.ts';
import { askAboutLeftOut } from '../actions/left-out.tsx';
import { naming } from '../actions/naming.ts';
import { permittedOf } from '../actions/offer.ts';
import { useEntryPermissions, type RowActions } from '../permissions/entry-permissions.ts';
import { useFolderPermissions } from '../permissions/use-permissions.ts';
import { DropNote } from '../pointer/drop-note.tsx';
import type { PlaceUnder } from '../pointer/place-under.ts';
import { plural, t } from '../words/words.ts';
import { useDragOver } from './use-drag-over.ts';

type Properties = {
  readonly selection: Selection;
  readonly rowActions: RowActions;
  readonly around: Surroundings;
  /** Has to be the same function on each render. */ readonly onEnd: (dragged: undefined) => void;
};

/** Rows that are being dragged: shows at the pointer what a drop would do, and moves or copies the rows on a drop. */
export function DraggedRows({ selection, rowActions, around, onEnd }: Properties) {
  const permissions = useEntryPermissions(selection.place, selection.entries, rowActions);
  const { over, wantsCopy } = useDragOver(onEnd);
  const { movable, copyable } = useMemo(
    () => ({
      movable: permittedOf(selection, NEEDED_TO_MOVE, permissions),
      copyable: permittedOf(selection, NEEDED_TO_COPY, permissions),
    }),
    // eslint-disable-next-line react-hooks/exhaustive-deps -- `permissions` is a new object on each render; its content depends on these values
    [selection, rowActions, permissions.pending],
  );
  const isMove = movable !== undefined && !wantsCopy;
  const taken = isMove ? movable : copyable;
  if (permissions.pending)
    return (
      <DropNote on={undefined} refused={false}>
        {naming(selection.entries)}
      </DropNote>
    );
  if (taken === undefined)
    return (
      <DropNote on={undefined} refused>
        {t('You may neither move nor copy this')}
      </DropNote>
    );
  if (over === undefined) {
    return (
      <DropNote on={undefined} refused={false}>
        {isMove ? t('Move {what}', { what: naming(taken.entries) }) : t('Copy {what}', { what: naming(taken.entries) })}
      </DropNote>
    );
  }
  return <Over key={isMove ? 'move' : 'copy'} taken={taken} isMove={isMove} over={over} around={around} />;
}

function Over({
  taken,
  isMove,
  over: { element, place },
  around,
}: {
  taken: Selection;
  isMove: boolean;
  over: PlaceUnder;
  around: Surroundings;
}) {
  const { mayHere, pending } = useFolderPermissions(place);
  const fault =
    faultOfTarget(taken, place) ??
    (pending || mayHere('objects:write')
      ? undefined
      : t('You may not add files to {place}.', { place: namingFolder(place) }));
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
      askAboutLeftOut(
        taken,
        isMove
          ? t('Move to {place}', { place: namingFolder(place) })
          : t('Copy to {place}', { place: namingFolder(place) }),
        () => putIntoFolder(taken, place, isMove, around),
      );
    };
    // Another element of the same folder may have come beneath the pointer just before the drop.
    const hovers = ['dragenter', 'dragover'] as const;
    for (const type of hovers) document.addEventListener(type, hover);
    document.addEventListener('drop', drop, true);
    return () => {
      for (const type of hovers) document.removeEventListener(type, hover);
      document.removeEventListener('drop', drop, true);
    };
  }, [isTaken, element, taken, place, isMove, around]);
  const leftOut = taken.leftOut?.length ?? 0;
  const what = { what: naming(taken.entries), place: namingFolder(place) };
  return (
    <DropNote on={element} refused={fault !== undefined}>
      {pending
        ? t('Checking your permissions…')
        : (fault ?? (isMove ? t('Move {what} to {place}', what) : t('Copy {what} to {place}', what)))}
      {isTaken &&
        leftOut > 0 &&
        ` · ${plural(leftOut, '{count} of {all} is not allowed', '{count} of {all} are not allowed', { all: taken.entries.length + leftOut })}`}
    </DropNote>
  );
}

function isWithin(element: HTMLElement, { target }: DragEvent): boolean {
  return target instanceof Node && element.contains(target);
}
