import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { COUNTERPARTS } from '../../src/config/iam/iam-actions.ts';
import { importIam } from '../../src/config/iam/iam.ts';
import type { AtomicAction } from '../../src/policy/model/action.ts';
import { decide } from '../../src/policy/index/decide.ts';
import { resolvePolicy } from '../../src/policy/model/each.ts';
import { compileGrants } from '../../src/policy/index/grants.ts';
import { bucketResource, objectResource, type Resource } from '../../src/policy/model/resource.ts';

/** Public cases, with the verdict of their source. They belong to others and are read from beside the checkout. */
const CORPORA = new URL('../../../shared/corpora/', import.meta.url).pathname;
const PROVIDER = 'main';

type ArsenalCase = {
  readonly id: string;
  readonly documents: readonly unknown[];
  readonly request: { readonly action: string; readonly bucket: string; readonly key: string | null };
  readonly expected: 'allow' | 'deny';
  readonly importable: boolean;
  readonly rejectCode?: string;
};
type MotoCase = { readonly id: string; readonly document: unknown; readonly expected: 'accept' | 'reject' };

function corpus(name: string): readonly unknown[] {
  return existsSync(CORPORA + name) ? (JSON.parse(readFileSync(CORPORA + name, 'utf8')) as unknown[]) : [];
}

const arsenal = corpus('arsenal.json') as readonly ArsenalCase[];
const moto = corpus('moto-parse.json') as readonly MotoCase[];
const present = arsenal.length > 0 && moto.length > 0;

if (!present) console.warn(`the public IAM cases are not at ${CORPORA}: their tests are skipped`);
const describeCorpus = present ? describe : describe.skip;

describeCorpus('importIam on the cases of Arsenal', () => {
  const refused = arsenal.filter(({ importable }) => !importable);
  const carriedOver = arsenal.filter(({ importable }) => importable);

  it('has cases of both kinds', () => {
    expect(refused.length).toBeGreaterThan(100);
    expect(carriedOver.length).toBeGreaterThan(20);
  });

  it('refuses every document with a construct that cannot be carried over, and says which', () => {
    for (const { id, documents, rejectCode } of refused) {
      const codes = documents.flatMap((document) =>
        importIam(document, PROVIDER, [PROVIDER]).faults.map(({ code }) => code.toUpperCase()),
      );
      expect({ id, refusedFor: codes.includes(rejectCode ?? '') ? rejectCode : codes }).toEqual({
        id,
        refusedFor: rejectCode,
      });
    }
  });

  it('decides every other case as its source does', () => {
    for (const { id, documents, request, expected } of carriedOver) {
      const imports = documents.map((document) => importIam(document, PROVIDER, [PROVIDER]));
      expect({ id, faults: imports.flatMap(({ faults }) => faults) }).toEqual({ id, faults: [] });
      const grants = compileGrants(
        imports.map(({ rules }, i) =>
          resolvePolicy({ name: `document ${i}`, source: 'iam', rules }, { subject: 'somebody', groups: [] }),
        ),
      );
      const { action, resource } = questionOf(request);
      expect({ id, allowed: decide(grants, action, resource).allowed }).toEqual({ id, allowed: expected === 'allow' });
    }
  });
});

/** Where a case asks an object action without a key, any key will do. */
function questionOf({ action, bucket, key }: ArsenalCase['request']): { action: AtomicAction; resource: Resource } {
  const counterpart = COUNTERPARTS[action.replace(/^s3:/, '')];
  const atomic = counterpart?.gives[0];
  if (counterpart === undefined || atomic === undefined) throw new Error(`no counterpart of ${action}`);
  const aboutKeys = counterpart.on === 'object' || atomic === 'objects:list';
  return {
    action: atomic,
    resource: aboutKeys ? objectResource(PROVIDER, bucket, key ?? 'some/key') : bucketResource(PROVIDER, bucket),
  };
}

describeCorpus('importIam on the cases of Moto', () => {
  it('refuses whatever AWS refuses', () => {
    const accepted = moto
      .filter(({ expected }) => expected === 'reject')
      .filter(({ document }) => importIam(document, PROVIDER, [PROVIDER]).faults.length === 0);
    expect(accepted.map(({ id }) => id)).toEqual([]);
  });

  it('finds no fault with the form of a document that AWS accepts', () => {
    const ofForm = ['document_form', 'version', 'statement_empty', 'statement_id', 'effect', 'unknown_member'];
    const accepted = moto
      .filter(({ expected }) => expected === 'accept')
      .map(({ id, document }) => ({ id, faults: importIam(document, PROVIDER, [PROVIDER]).faults }));
    expect(accepted.filter(({ faults }) => faults.some(({ code }) => ofForm.includes(code)))).toEqual([]);
    expect(accepted.filter(({ faults }) => faults.length === 0).length).toBeGreaterThan(10);
  });
});
