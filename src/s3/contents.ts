import { Plain } from '../bounds/plain.ts';
import type { OperationOutput } from '../wire/operations.ts';
import { xmlText } from '../xml/text.ts';
import type { nameIn } from './xml-answer.ts';

type Listed = OperationOutput<'object/list'>['objects'][number];
type ContentsForm = { readonly name: ReturnType<typeof nameIn>; readonly isEncoded: boolean; readonly owner: string };

/** The elements of objects in a listing. Consecutive plain ones are written at once, in less than half of the time. */
export function contentsOf(objects: readonly Listed[], { name, isEncoded, owner }: ContentsForm): string[] {
  const form = `<Contents><Key>$1</Key><LastModified>$4</LastModified><ETag>&#34;$3&#34;</ETag><Size>$2</Size>${owner.replaceAll('$', '$$$$')}<StorageClass>STANDARD</StorageClass></Contents>`;
  const written: string[] = [];
  let plain = '';
  const writePlain = (): void => {
    if (plain !== '') written.push(plain.replace(PLAIN_OBJECT, form));
    plain = '';
  };
  for (const object of objects) {
    if (object instanceof Plain && !(isEncoded && IS_ENCODED.test(object.key))) {
      plain += object.json;
      if (plain.length > MAX_AT_ONCE) writePlain();
      continue;
    }
    writePlain();
    const { key, lastModified, etag, size } = object;
    written.push(
      `<Contents>${name('Key', key)}<LastModified>${lastModified}</LastModified><ETag>${xmlText(etag)}</ETag><Size>${size}</Size>${owner}<StorageClass>STANDARD</StorageClass></Contents>`,
    );
  }
  writePlain();
  return written;
}
/** Characters. */
const MAX_AT_ONCE = 32_768;
const PLAIN_OBJECT = /\{"key":"([^"]*)","size":(\d+),"etag":"\\"([^\\]*)\\"","last_modified":"([^"]*)"\}/gy;
/** Finds what `encoding-type` encodes in a plain key. */
const IS_ENCODED = /[^\w.~/-]/;
