import { notifications } from '@mantine/notifications';
import type { ReactNode } from 'react';
import { createStore } from 'zustand/vanilla';
import type { Surroundings } from '../actions/action.ts';
import type { ObjectRef } from '../api/object-calls.ts';
import { refreshListing } from '../api/queries.ts';
import { kindOf } from '../objects/kind.ts';
import { visibleText } from '../names/visible.ts';
import { closeModal, openModal } from '../parts/dialogs.tsx';
import { baseName, folderOf, placeLink } from '../place/place.ts';
import { onSessionChange, sessionState } from '../session/session.ts';
import { t } from '../words/words.ts';
import { Draft } from './draft.ts';
import { editorStateOf } from './editor-state.ts';
import type { TextVersion } from './text-calls.ts';
import { WHOLE_SCREEN } from './whole-screen.ts';

const MODAL = 'editor';

/** The history entry of an open editor, which Back leaves. */
const MARK = 'svcEditor';

export type EditingView = {
  readonly draft: Draft | undefined;
  /** Whether the user wants to leave and has to decide about unsaved changes. */
  readonly isLeaving: boolean;
};

/**
 * An open editor. It outlives its dialog, which is closed when the session ends and opened again with the same text after the next sign-in. Back, and leaving
 * the page, ask about unsaved changes.
 */
export class Editing {
  readonly object: ObjectRef;
  readonly view = createStore<EditingView>(() => ({ draft: undefined, isLeaving: false }));
  readonly #around: Surroundings;
  readonly #dialog: (editing: Editing) => ReactNode;
  readonly #onClosed: () => void;
  readonly #stopWatching: () => void;
  #isShown = false;

  /** @param dialog - renders the content of the dialog. */
  constructor(object: ObjectRef, around: Surroundings, dialog: (editing: Editing) => ReactNode, onClosed: () => void) {
    this.object = object;
    this.#around = around;
    this.#dialog = dialog;
    this.#onClosed = onClosed;
    const ended = onSessionChange(() => this.#followSession());
    window.addEventListener('beforeunload', this.#beforeUnload);
    window.addEventListener('popstate', this.#onBack);
    window.addEventListener('online', this.#onOnline);
    this.#stopWatching = () => {
      ended();
      window.removeEventListener('beforeunload', this.#beforeUnload);
      window.removeEventListener('popstate', this.#onBack);
      window.removeEventListener('online', this.#onOnline);
    };
    this.#mark();
    this.#show();
  }

  /** Begins with the version that was read. */
  begin(version: TextVersion): void {
    if (this.view.getState().draft !== undefined) return;
    this.view.setState({ draft: new Draft(this.object, version, this.#stateFor(version), () => this.#refresh()) });
  }

  /** Leaves the editor, or asks about unsaved changes first. */
  leave(): void {
    if (this.#isChanged) this.view.setState({ isLeaving: true });
    else this.close();
  }

  stay(): void {
    this.view.setState({ isLeaving: false });
  }

  /** Leaves the editor with whatever is not saved. */
  close(): void {
    this.#stopWatching();
    this.#onClosed();
    closeModal(MODAL);
    if (isMarked()) window.history.back();
  }

  /** Replaces the text by another version. Undo brings the own text back if both have the same line ends. */
  take(theirs: TextVersion): void {
    const { draft } = this.view.getState();
    if (draft === undefined) return;
    const { doc } = draft.editor;
    const changes = { from: 0, to: doc.length, insert: theirs.text };
    draft.take(
      theirs,
      theirs.lineEnd === draft.version.lineEnd ? draft.editor.update({ changes }).state : this.#stateFor(theirs),
    );
    this.#refresh();
  }

  /** Closes the editor after the text was stored under another key. */
  copied(key: string): void {
    this.close();
    notifications.show({ message: t('Your text is saved as {name}.', { name: visibleText(baseName(key)) }) });
    const { provider, bucket } = this.object;
    this.#around.navigate(placeLink({ provider, bucket, prefix: folderOf(key) }, key));
  }

  /** Tells whether the dialog is on the page. */
  shown(is: boolean): void {
    this.#isShown = is;
  }

  get #isChanged(): boolean {
    return this.view.getState().draft?.isChanged === true;
  }

  #stateFor(version: TextVersion) {
    const { key } = this.object;
    return editorStateOf(version.text, {
      key,
      label: t('Text of {name}', { name: visibleText(baseName(key)) }),
      isWrapped: kindOf(key).kind !== 'code' || window.matchMedia('(max-width: 48em)').matches,
      lineEnd: version.lineEnd,
    });
  }

  #show(): void {
    void openModal(
      {
        ...WHOLE_SCREEN,
        modalId: MODAL,
        closeOnClickOutside: false,
        children: this.#dialog(this),
      },
      () => this.close(),
    );
  }

  #refresh(): void {
    const { queryClient } = this.#around;
    void queryClient.invalidateQueries({ queryKey: ['preview-text', this.object] });
    void refreshListing(queryClient, this.object);
  }

  #followSession(): void {
    const { status } = sessionState();
    if (status !== 'active') return;
    if (!this.#isShown) this.#show();
    void this.view.getState().draft?.saveAgain();
  }

  readonly #beforeUnload = (event: BeforeUnloadEvent): void => {
    if (this.#isChanged && sessionState().status !== 'signing-out') event.preventDefault();
  };

  readonly #onBack = (): void => {
    if (isMarked()) return;
    if (!this.#isChanged) {
      this.close();
      return;
    }
    this.#mark();
    this.leave();
  };

  readonly #onOnline = (): void => void this.view.getState().draft?.saveAgain();

  /** Adds a history entry of this page, so that Back leaves the editor and not the page. */
  #mark(): void {
    window.history.pushState({ ...(window.history.state as object | null), [MARK]: true }, '');
  }
}

function isMarked(): boolean {
  const state: unknown = window.history.state;
  return typeof state === 'object' && state !== null && MARK in state;
}
