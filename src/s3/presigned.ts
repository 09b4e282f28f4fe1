import type { Ask } from '../access/authorize.ts';
import type { Targets } from '../access/target.ts';
import type { AnyOperation } from '../operation/operation.ts';
import { s3Fault } from './fault.ts';
import type { Place, S3Route } from './route.ts';

/** The access of the operations of objects. */
type AsksOfObject = { readonly kind: 'policy'; readonly asks: (input: Input, at: Targets) => readonly Ask[] };
type Other = { readonly bucket?: string; readonly key: string };
/** A copy names its other end too. */
type Input = Place & { readonly to?: Other; readonly from?: Other };

const made = new Map<S3Route, AnyOperation>();

/**
 * The operation of a call for a request that is signed in its query, such as a link: it also asks whether the caller may share each object that it names.
 *
 * @throws {SvcError} `NotImplemented`: the call names no object.
 */
export function presigned(route: S3Route): AnyOperation {
  if (route.level !== 'object')
    throw s3Fault('NotImplemented', `${route.name} is signed in its header; a signed link names an object`);
  const access = route.operation.access as unknown as AsksOfObject;
  const asks = (input: Input, at: Targets): readonly Ask[] => [
    ...access.asks(input, at),
    ...[input, input.to, input.from].flatMap((place): readonly Ask[] =>
      place === undefined
        ? []
        : [
            {
              action: 'objects:presign',
              resource: at.object(input.provider, place.bucket ?? input.bucket, place.key),
            },
          ],
    ),
  ];
  const operation = made.get(route) ?? ({ ...route.operation, access: { ...access, asks } } as unknown as AnyOperation);
  made.set(route, operation);
  return operation;
}
