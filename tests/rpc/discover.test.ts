import metaSchema from '@open-rpc/meta-schema';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Ajv, type AnySchema } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { RPC_METHODS } from '../../src/wire/rpc.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { signInDesktop } from '../support/desktop-client.ts';
import { RpcClient } from '../support/rpc-client.ts';

type Named = { readonly name: string; readonly schema: object; readonly required?: boolean };
type Method = {
  readonly name: string;
  readonly params: readonly Named[];
  readonly result: Named;
  readonly examples: readonly [
    {
      readonly params: readonly { readonly name: string; readonly value: unknown }[];
      readonly result: { value: unknown };
    },
  ];
};
type Document = { readonly methods: readonly Method[]; readonly components: object };

let app: TestApp;
let document: Document;

beforeAll(async () => {
  app = await startApp();
  const dan = RpcClient.bearer(app.origin, (await signInDesktop(app, 'dan')).access_token);
  const { credential } = await dan.call('apiKey/create', {
    description: 'discovers',
    scope: { rules: [{ actions: ['objects:read'], resources: [{ type: 'all' }] }] },
  });
  document = await discover(credential);
});
afterAll(() => app.close());

async function discover(credential: string): Promise<Document> {
  const answer = await fetch(`${app.origin}/rpc`, {
    method: 'POST',
    headers: { authorization: `Bearer ${credential}`, 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'rpc.discover' }),
  });
  return ((await answer.json()) as { readonly result: Document }).result;
}

describe('rpc.discover', () => {
  it('answers an API key an OpenRPC document of all methods that the service has', () => {
    const ajv = new Ajv({ strict: false });
    const isValid = ajv.compile(metaSchema as AnySchema);
    void isValid(document);
    expect(isValid.errors).toBeNull();
    expect(document.methods.map(({ name }) => name).sort()).toEqual([...RPC_METHODS].sort());
  });

  it('answers nobody without a credential', async () => {
    expect(await discover('svc_ak_0_none')).toBeUndefined();
  });

  it.each(RPC_METHODS)('has a valid example of %s', (name) => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    const { params, result, examples } = document.methods.find((method) => method.name === name)!;
    const errorsOf = (schema: object, value: unknown) => {
      const isValid = ajv.compile({ ...schema, components: document.components });
      isValid(value);
      return isValid.errors;
    };
    for (const { name: member, schema, required } of params) {
      const example = examples[0].params.find((each) => each.name === member);
      expect([member, example !== undefined]).toEqual([member, required]);
      if (example !== undefined) expect([member, errorsOf(schema, example.value)]).toEqual([member, null]);
    }
    expect(errorsOf(result.schema, examples[0].result.value)).toBeNull();
  });
});
