import { afterAll, beforeAll, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Rule } from '../../../src/policy/model/rule.ts';
import { decideNaively } from '../../policy/oracle.ts';
import { describeRadosGateway } from '../../support/describe-rados-gateway.ts';
import { setVersioning } from '../../support/versioning.ts';
import { BUCKET, Moments } from './moments.ts';

/** The bucket that has the same as {@link BUCKET}, but only on keys that policy allows. */
const TWIN = `${BUCKET}-twin`;
const KEYS = ['a', 'a b%', 'a/', 'a/x', 'a/y', 'a/z/1', 'a0', 'b/1', 'b/2', 'é/1', '～', '😀/1'];
const NAMES = ['', '', '', '', 'a', 'a/', 'a/z/', 'b/', 'é', '😀', ...KEYS];

type Page = {
  readonly versions: { readonly key: string; readonly version: string }[];
  readonly prefixes: string[];
  readonly next_cursor: string | null;
};
/** What happens to a key: content, or a deletion. */
type Change = { readonly key: string; readonly content: string | undefined };

describeRadosGateway('GET …/versions on the gateway of Ceph', () => {
  let on: Moments;
  beforeAll(async () => {
    on = await Moments.start();
    await on.provider.s3.send({ method: 'PUT', bucket: TWIN });
    for (const bucket of [BUCKET, TWIN]) await setVersioning(on.provider, bucket, 'Enabled');
  });
  afterAll(() => on.close());

  const rule = fc.record({
    effect: fc.constantFrom('allow' as const, 'allow' as const, 'deny' as const),
    actions: fc.constantFrom(['objects:versions'], ['objects:versions', 'objects:list'], ['objects:list']),
    kind: fc.constantFrom('prefix' as const, 'prefix' as const, 'object' as const),
    name: fc.constantFrom(...NAMES),
  });
  const change = fc.record({ key: fc.constantFrom(...KEYS), content: fc.constantFrom('', 'x', 'more', undefined) });

  /** Writes changes beneath a folder, and gives the versions that arose, by key. */
  async function write(bucket: string, folder: string, changes: readonly Change[]): Promise<Map<string, string[]>> {
    const arose = new Map<string, string[]>();
    for (const { key, content } of changes) {
      const method = content === undefined ? 'DELETE' : 'PUT';
      const body = content === undefined ? {} : { body: Buffer.from(content) };
      const { headers } = await on.provider.s3.send({ method, bucket, key: folder + key, ...body });
      const id = headers['x-amz-version-id'];
      // The deletion of what is deleted already makes no second marker.
      if (id !== undefined) arose.set(folder + key, [id, ...(arose.get(folder + key) ?? [])]);
    }
    return arose;
  }

  /** Every page of a listing, as bytes. */
  async function pagesOf(bucket: string, query: Record<string, string>): Promise<string[]> {
    const pages: string[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const asked = new URLSearchParams({ ...query, ...(cursor !== '' && { cursor }) });
      const answer = await on.get(bucket, `/versions?${asked}`);
      pages.push(`${answer.status} ${answer.text()}`);
      cursor = answer.status === 200 ? (answer.json() as Page).next_cursor : null;
      expect(pages.length).toBeLessThan(200);
    }
    return pages;
  }

  /** The pages without what differs in another bucket: ids of versions get numbers, and times and cursors go. */
  function comparable(pages: readonly string[]): string {
    const ids = new Map<string, number>();
    return pages
      .join('\n')
      .replaceAll(/"version":"([^"]+)"/g, (_all, id: string) => {
        if (!ids.has(id)) ids.set(id, ids.size);
        return `"version":${ids.get(id)}`;
      })
      .replaceAll(/"last_modified":"[^"]+"/g, '')
      .replaceAll(/"next_cursor":"([^"]+)"/g, (_all, cursor: string) => `"next_cursor":${cursor.length}`)
      .replaceAll(/"request_id":"[^"]+"/g, '')
      .replaceAll(TWIN, BUCKET);
  }

  it('shows the versions of the keys that policy allows, and tells nothing of the others', async () => {
    let run = 0;
    const seen = { allowed: 0, denied: 0 };
    await fc.assert(
      fc.asyncProperty(
        fc.array(rule, { minLength: 1, maxLength: 5 }),
        fc.array(change, { minLength: 8, maxLength: 24 }),
        fc.constantFrom('', 'a', 'a/', 'b/', 'é'),
        fc.boolean(),
        fc.integer({ min: 1, max: 7 }),
        async (given, changes, prefix, isGrouped, limit) => {
          const folder = `run ${(run += 1)}/`;
          const rules = given.map(({ effect, actions, kind, name }): Rule => {
            const place = (bucket: string) => ({ provider: 'main', bucket });
            const resources = [BUCKET, TWIN].map((bucket) =>
              kind === 'prefix'
                ? { type: kind, ...place(bucket), prefix: folder + name }
                : { type: kind, ...place(bucket), key: folder + name },
            );
            return { effect, actions: actions as Rule['actions'], resources };
          });
          await on.holds(rules);
          const isAllowed = (key: string) =>
            decideNaively([{ name: 'p', source: 'config', rules }], 'objects:versions', {
              kind: 'object',
              provider: 'main',
              bucket: BUCKET,
              key,
            }) === 'allowed';
          const arose = await write(BUCKET, folder, changes);
          await write(
            TWIN,
            folder,
            changes.filter(({ key }) => isAllowed(folder + key)),
          );
          for (const key of arose.keys()) seen[isAllowed(key) ? 'allowed' : 'denied'] += 1;
          const query = { prefix: folder + prefix, limit: String(limit), ...(isGrouped && { delimiter: '/' }) };
          const pages = await pagesOf(BUCKET, query);
          const found = pages.map((page) => JSON.parse(page.slice('200 '.length)) as Page);
          const shown = found.flatMap(({ versions }) => versions.map(({ key, version }) => `${key} ${version}`));
          const visible = [...arose].filter(([key]) => isAllowed(key) && key.startsWith(query.prefix));
          const groupOf = (key: string) => {
            const end = isGrouped ? key.indexOf('/', query.prefix.length) : -1;
            return end === -1 ? undefined : key.slice(0, end + 1);
          };
          const expected = visible.filter(([key]) => groupOf(key) === undefined);
          // The versions of a key come from the newest on.
          expect(shown.toSorted()).toEqual(
            expected.flatMap(([key, ids]) => ids.map((id) => `${key} ${id}`)).toSorted(),
          );
          for (const [key, ids] of expected)
            expect(
              shown.filter((line) => line.startsWith(`${key} `) && ids.includes(line.slice(key.length + 1))),
            ).toEqual(ids.map((id) => `${key} ${id}`));
          expect(found.flatMap(({ prefixes }) => prefixes).toSorted()).toEqual(
            [...new Set(visible.flatMap(([key]) => groupOf(key) ?? []))].toSorted(),
          );
          for (const page of found) expect(page.versions.length + page.prefixes.length).toBeLessThanOrEqual(limit);

          expect(comparable(await pagesOf(TWIN, query))).toBe(comparable(pages));
          for (const key of KEYS) {
            const one = { key: folder + key, limit: String(limit) };
            const [here, there] = [await pagesOf(BUCKET, one), await pagesOf(TWIN, one)];
            expect(comparable(there)).toBe(comparable(here));
            expect(here[0]!.slice(0, 3)).toBe(isAllowed(folder + key) ? '200' : '403');
          }
        },
      ),
      {
        numRuns: 25,
        endOnFailure: true,
        examples: [
          // A page holds all versions of a key, and a key follows that nobody may know of.
          [
            [{ effect: 'allow', actions: ['objects:versions'], kind: 'object', name: 'a/' }],
            ['a/', 'a/', 'a/x'].map((key) => ({ key, content: 'x' as const })),
            '',
            false,
            2,
          ],
          // A key is deleted twice.
          [
            [{ effect: 'allow', actions: ['objects:versions'], kind: 'prefix', name: '' }],
            ['x' as const, undefined, undefined].map((content) => ({ key: 'b/1', content })),
            '',
            false,
            2,
          ],
        ],
      },
    );
    expect([seen.allowed > 10, seen.denied > 10]).toEqual([true, true]);
  });
});
