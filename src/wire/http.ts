import type { OperationInput, OperationName, OperationOutput } from './operations.ts';

/** Types of inputs and outputs for the routes beneath `/api`, whose members have snake_case names. */

type SnakeCase<S extends string> = S extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : S;

type SnakeNames<T> = T extends readonly (infer Item)[]
  ? readonly SnakeNames<Item>[]
  : T extends object
    ? { [K in keyof T as SnakeCase<K & string>]: SnakeNames<T[K]> }
    : T;

export type Sent<N extends OperationName> = SnakeNames<OperationInput<N>>;
export type Answered<N extends OperationName> = SnakeNames<OperationOutput<N>>;

export type ProviderList = Answered<'provider/list'>;
export type BucketList = Answered<'bucket/list'>;
export type ObjectList = Answered<'object/list'>;
export type ObjectEntry = ObjectList['objects'][number];
export type DeleteResult = Answered<'object/delete'>;
export type PresignResult = Answered<'object/presign'>;
export type RoleList = Answered<'role/list'>;
export type PolicyList = Answered<'policy/list'>;
export type BindingList = Answered<'binding/list'>;
export type SessionList = Answered<'session/list'>;
export type ProviderHealth = Answered<'provider/health'>['providers'][number];
export type View = Answered<'policy/viewAs'>;
export type ExplainRequest = Sent<'policy/explain'>;
export type Explanation = Answered<'policy/explain'>;
export type AuditSink = Answered<'audit/sinks'>['sinks'][number];
export type AuditList = Answered<'audit/list'>;
export type SignInList = Answered<'signIn/list'>;
export type WhoMay = Answered<'policy/who'>;
