import type { Selection, Surroundings } from './action.ts';

type OpenEditor = (selection: Selection, around: Surroundings) => void;

let openEditor: OpenEditor = () => undefined;

/** Sets what opens the editor. The registry cannot import the editor, because that has previews and the shell around it has actions. */
export function editWith(open: OpenEditor): void {
  openEditor = open;
}

export function edit(selection: Selection, around: Surroundings): void {
  openEditor(selection, around);
}
