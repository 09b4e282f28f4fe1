import type {
  AuditList,
  BindingList,
  Explanation,
  PolicyList,
  RoleList,
  SessionList,
  SignInList,
  WhoMay,
} from '../../wire/http.ts';

// The types of single items in the lists that the service answers.
export type Role = RoleList['roles'][number];
export type Policy = PolicyList['policies'][number];
export type Rule = Policy['rules'][number];
export type Selector = Rule['resources'][number];
export type Binding = BindingList['bindings'][number];
export type ActiveSession = SessionList['sessions'][number];
export type KeptSignIn = SignInList['sign_ins'][number];
export type Answer = Explanation['answers'][number];
export type AuditEntry = AuditList['lines'][number];
export type Holder = WhoMay['answers'][number]['holders'][number];
export type AllowedKey = WhoMay['answers'][number]['keys'][number];
export type Match = Answer['matches'][number];
