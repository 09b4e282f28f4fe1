import { catalogue } from '../errors/catalogue.ts';
import { exampleOf } from '../wire/example.ts';
import { NamedSchemas, typeName } from '../wire/named-schemas.ts';
import { rpcSchemas, type RpcMethodName } from '../wire/rpc.ts';

type Members = { readonly properties?: Readonly<Record<string, object>>; readonly required?: readonly string[] };

/** The OpenRPC 1.3 document of the methods, with the types and an example of each. */
export function openrpcOf(names: Iterable<string>, version: string): object {
  const schemas = new NamedSchemas();
  const methods = Array.from(names as Iterable<RpcMethodName>, (name) => methodOf(name, schemas));
  return {
    openrpc: '1.3.2',
    info: { title: 'svc', version, license: { name: 'Apache-2.0' } },
    methods,
    components: { schemas: schemas.all() },
  };
}

function methodOf(name: RpcMethodName, schemas: NamedSchemas): object {
  const { params, result } = rpcSchemas[name];
  const { properties = {}, required = [] } = params as Members;
  const members = Object.entries(properties);
  return {
    name,
    paramStructure: 'by-name',
    params: members.map(([member, schema]) => ({
      name: member,
      required: required.includes(member),
      schema: schemas.refer(schema),
    })),
    result: { name: 'result', schema: schemas.define(`${typeName(name)}Result`, result) },
    errors: ERRORS,
    examples: [
      {
        name: 'example',
        params: members
          .filter(([member]) => required.includes(member))
          .map(([member, schema]) => ({ name: member, value: exampleOf(schema, member) })),
        result: { name: 'result', value: exampleOf(result as object) },
      },
    ],
  };
}

/** The errors of the service by their numbers; `data.code` tells those of one number apart. */
const ERRORS = Array.from(
  Map.groupBy(Object.values(catalogue), ({ rpc }) => rpc),
  ([code, kinds]) => ({ code, message: kinds[0]!.title }),
);
