import { t } from '../words/words.ts';

/** The labels of the operations in the audit. `tests/web/activity` checks that no operation of the service is missing. */
const OPERATIONS: Readonly<Record<string, string>> = {
  'provider/list': t('List providers'),
  'provider/health': t('Check providers'),
  'bucket/list': t('List buckets'),
  'bucket/get': t('Look for a bucket'),
  'bucket/info': t('Look for versioning'),
  'bucket/create': t('Create bucket'),
  'bucket/delete': t('Delete bucket'),
  'object/list': t('List folder'),
  'object/search': t('Search'),
  'object/size': t('Calculate size'),
  'object/listVersions': t('List versions'),
  'object/head': t('Show details'),
  'object/tags': t('Show tags'),
  'object/setTags': t('Change tags'),
  'object/setProperties': t('Change properties'),
  'object/read': t('Open or download'),
  'object/thumbnail': t('Show thumbnail'),
  'object/write': t('Upload'),
  'object/delete': t('Delete'),
  'object/copy': t('Copy or move'),
  'object/restore': t('Restore version'),
  'object/purge': t('Delete version for ever'),
  'object/presign': t('Share link'),
  'object/archive': t('Download as ZIP'),
  'object/activity': t('Show activity'),
  'upload/create': t('Begin an upload in parts'),
  'upload/part': t('Upload a part'),
  'upload/get': t('List uploaded parts'),
  'upload/complete': t('Finish an upload in parts'),
  'upload/abort': t('Cancel an upload in parts'),
  'upload/list': t('List uploads in parts'),
  'upload/copyPart': t('Copy into a part'),
  'transfer/create': t('Request a transfer'),
  'permission/list': t('List permissions'),
  'apiKey/create': t('Create API key'),
  'apiKey/list': t('List own API keys'),
  'apiKey/listAll': t("List everybody's API keys"),
  'apiKey/revokeAll': t('Revoke all API keys'),
  'apiKey/rotate': t('Rotate API key'),
  'apiKey/replaceScope': t('Replace the scope of an API key'),
  'apiKey/revoke': t('Revoke API key'),
  's3Key/create': t('Create S3 key'),
  's3Session/create': t('Begin an S3 session for a token'),
  's3Key/list': t('List own S3 keys'),
  's3Key/listAll': t("List everybody's S3 keys"),
  's3Key/revokeAll': t('Revoke all S3 keys'),
  's3Key/rotate': t('Rotate S3 key'),
  's3Key/replaceScope': t('Replace the scope of an S3 key'),
  's3Key/revoke': t('Revoke S3 key'),
  'login/begin': t('Start sign-in'),
  'login/finish': t('Sign in'),
  'login/exchange': t('Sign in (desktop or CLI)'),
  'login/local': t('Sign in as a local user'),
  'session/get': t('Check session'),
  'session/end': t('Sign out'),
  'session/endByProvider': t('Sign out by the identity provider'),
  'signIn/list': t('List sign-ins'),
  'session/list': t('List sessions'),
  'session/revoke': t('End session'),
  'session/revokeAll': t('End all sessions'),
  'person/suspend': t('Suspend person'),
  'person/resume': t('Resume person'),
  'person/listSuspended': t('List suspended people'),
  'role/list': t('List roles'),
  'policy/list': t('List policies'),
  'binding/list': t('List bindings'),
  'policy/explain': t('Check access'),
  'policy/who': t('Who has access'),
  'policy/viewAs': t('View as'),
  'audit/list': t('Read the audit'),
  'service/read': t('Read service information'),
  initialize: t('Connect'),
};

/** The label of an operation, or its name if the operation is unknown, for example from another version of the service. */
export function operationText(operation: string): string {
  return OPERATIONS[operation] ?? operation;
}

/** The options of a select field for operations. */
export function operations(): { readonly value: string; readonly label: string }[] {
  return Object.entries(OPERATIONS)
    .map(([value, label]) => ({ value, label: `${label} (${value})` }))
    .toSorted((a, b) => a.label.localeCompare(b.label));
}
