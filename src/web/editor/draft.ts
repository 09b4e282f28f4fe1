import type { EditorState, Text } from '@codemirror/state';
import { createStore } from 'zustand/vanilla';
import { apiErrorOf, type ApiError } from '../api/api-error.ts';
import type { ObjectRef } from '../api/object-calls.ts';
import { createText, createTextBeside, readText, writeText, type TextVersion } from './text-calls.ts';
import { bytesOf } from './text-file.ts';

/**
 * - `clean`, `changed`: whether there is something to save
 * - `saving`: a save is running
 * - `failed`: the last save failed, and the text is only here
 * - `conflict`: the object is another version than the one that was read
 */
export type DraftState =
  | { readonly status: 'clean' | 'changed' | 'saving' }
  | { readonly status: 'failed'; readonly error: ApiError }
  /** `theirs` is undefined if the object has been deleted, and an error if the other version cannot be shown as text. */
  | { readonly status: 'conflict'; readonly theirs: TextVersion | ApiError | undefined };

/** A text that is being edited. It lives outside of the page, so that it survives the end of the session. */
export class Draft {
  readonly object: ObjectRef;
  readonly state = createStore<DraftState>(() => ({ status: 'clean' }));
  /** The state of the editor, with its history and its selection. */
  editor: EditorState;
  /** The version on which the text is based. */
  version: TextVersion;
  #saved: Text;
  readonly #onSaved: () => void;
  /** Whether a save failed because the session or the connection was lost. */
  #isWaiting = false;

  constructor(object: ObjectRef, version: TextVersion, editor: EditorState, onSaved: () => void) {
    this.object = object;
    this.version = version;
    this.editor = editor;
    this.#saved = editor.doc;
    this.#onSaved = onSaved;
  }

  get text(): string {
    return this.editor.doc.toString();
  }

  get isChanged(): boolean {
    return !this.editor.doc.eq(this.#saved);
  }

  /** Takes a change of the editor. */
  update(editor: EditorState): void {
    this.editor = editor;
    const { status } = this.state.getState();
    if (status === 'clean' || status === 'changed') this.#settle();
  }

  /** Saves the text if the object is still the version that was read; otherwise the state becomes `conflict`. */
  async save(): Promise<void> {
    const { status } = this.state.getState();
    if (status === 'saving' || status === 'conflict' || (status === 'clean' && !this.isChanged)) return;
    await this.#write((bytes) => writeText(this.object, bytes, this.version.etag));
  }

  /** Saves the text over the other version of a conflict, unless that has changed in the meantime as well. */
  async overwrite(): Promise<void> {
    const state = this.state.getState();
    if (state.status !== 'conflict') return;
    const { theirs } = state;
    if (theirs === undefined) await this.#write((bytes) => createText(this.object, bytes, this.version.type));
    else if ('etag' in theirs) await this.#write((bytes) => writeText(this.object, bytes, theirs.etag));
  }

  /** Goes on editing without a decision about a conflict. */
  goOn(): void {
    this.state.setState({ status: 'changed' }, true);
  }

  /** Replaces the text by the other version. @param editor - the state of the editor with that text. */
  take(theirs: TextVersion, editor: EditorState): void {
    this.version = theirs;
    this.editor = editor;
    this.#saved = editor.doc;
    this.state.setState({ status: 'clean' }, true);
  }

  /** Stores the text as another object beside this one. @returns its key. @throws {ApiError} */
  async keepAsCopy(): Promise<string> {
    const key = await createTextBeside(this.object, bytesOf(this.text, this.version), this.version.type);
    this.#saved = this.editor.doc;
    this.#onSaved();
    return key;
  }

  /** Makes up for a save that failed because the session or the connection was lost. */
  async saveAgain(): Promise<void> {
    if (!this.#isWaiting) return;
    this.#isWaiting = false;
    await this.save();
  }

  async #write(send: (bytes: Uint8Array<ArrayBuffer>) => Promise<string>): Promise<void> {
    const sent = this.editor.doc;
    this.state.setState({ status: 'saving' }, true);
    try {
      const etag = await send(bytesOf(sent.toString(), this.version));
      this.#done(sent, etag);
    } catch (thrown) {
      const error = apiErrorOf(thrown);
      if (error.code === 'precondition_failed' || error.code === 'not_found') await this.#compare(sent);
      else this.#fail(error);
    }
  }

  #done(sent: Text, etag: string): void {
    this.version = { ...this.version, etag };
    this.#saved = sent;
    this.#settle();
    this.#onSaved();
  }

  #fail(error: ApiError): void {
    this.#isWaiting = error.code === 'session_required' || error.code === 'network';
    this.state.setState({ status: 'failed', error }, true);
  }

  /** Reads the other version. If it is the same text, an earlier save succeeded and only its answer was lost. */
  async #compare(sent: Text): Promise<void> {
    const theirs = await readText(this.object).catch(apiErrorOf);
    if ('etag' in theirs) {
      if (theirs.text === sent.toString() && theirs.lineEnd === this.version.lineEnd) this.#done(sent, theirs.etag);
      else this.state.setState({ status: 'conflict', theirs }, true);
    } else if (theirs.code === 'not_editable') this.state.setState({ status: 'conflict', theirs }, true);
    else if (theirs.code === 'not_found') this.state.setState({ status: 'conflict', theirs: undefined }, true);
    else this.#fail(theirs);
  }

  #settle(): void {
    this.state.setState({ status: this.isChanged ? 'changed' : 'clean' }, true);
  }
}
