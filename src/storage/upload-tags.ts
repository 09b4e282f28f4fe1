import { SvcError } from '../errors/svc-error.ts';
import type { ObjectRef } from './provider.ts';
import { requireTags, writeTags } from './preserved-headers.ts';

// Ceph makes tags that are sent with the beginning of an upload unreadable. They become a part of the upload's id instead, and are written when the parts are
// joined. Who has the id may write the object, and so may change its tags.

const BEFORE_TAGS = '~tags~';
const MAX_BYTES = 4_096;
/** The limits of S3. */
const MAX_TAGS = 10;
const MAX_KEY_CHARACTERS = 128;
const MAX_VALUE_CHARACTERS = 256;

/**
 * Checks the tags with which an upload begins.
 *
 * @param tagging - as the header that sets them; its characters are bytes.
 * @returns what stands behind the id that storage gives to the upload.
 * @throws {SvcError} `invalid_request`; `not_supported` where storage has no tags.
 */
export async function tagsForId(object: ObjectRef, tagging: string): Promise<string> {
  const bytes = Buffer.from(tagging, 'latin1');
  const tags = [...new URLSearchParams(bytes.toString())];
  const isValid =
    bytes.length <= MAX_BYTES &&
    tags.length <= MAX_TAGS &&
    new Set(tags.map(([key]) => key)).size === tags.length &&
    tags.every(
      ([key, value]) => key !== '' && key.length <= MAX_KEY_CHARACTERS && value.length <= MAX_VALUE_CHARACTERS,
    );
  if (!isValid)
    throw new SvcError('invalid_request', {
      detail: `an object has at most ${MAX_TAGS} tags, each with another name of at most ${MAX_KEY_CHARACTERS} and a value of at most ${MAX_VALUE_CHARACTERS} characters; those of an upload in parts have at most ${MAX_BYTES} bytes`,
    });
  await requireTags(object);
  return BEFORE_TAGS + bytes.toString('base64url');
}

/** The id that storage gave to the upload. */
export function storageIdOf(id: string): string {
  return id.split(BEFORE_TAGS, 1)[0]!;
}

/** Gives the object of a joined upload the tags of the upload, while the lock of its key is held. */
export async function writeTagsOf(id: string, object: ObjectRef): Promise<void> {
  const [, tagging] = id.split(BEFORE_TAGS);
  // Also when the client has gone, because nobody would do it later.
  if (tagging !== undefined) await writeTags(object, Buffer.from(tagging, 'base64url').toString(), {});
}
