import { createHash } from 'node:crypto';
import { personIdOf, type Caller } from '../access/caller.ts';
import type { XmlAnswer } from '../xml/xml.ts';
import { s3Fault } from './fault.ts';
import type { S3Request } from './request.ts';
import { element, root, text } from './xml-answer.ts';

const XSI = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:type="CanonicalUser"';

/** The person of a key owns what they see: S3 knows no other kind of access. */
export function ownerOf(caller: Caller): string {
  return element('Owner', ...identityOf(caller));
}

function identityOf(caller: Caller): readonly string[] {
  return [text('ID', idOf(caller)), text('DisplayName', caller.name)];
}

function idOf(caller: Caller): string {
  return createHash('sha256').update(personIdOf(caller)).digest('hex');
}

/** Full control of the caller, in place of the access control lists that the service does not have. */
export function accessOf(caller: Caller): string {
  return root(
    'AccessControlPolicy',
    ownerOf(caller),
    element(
      'AccessControlList',
      element('Grant', `<Grantee ${XSI}>${identityOf(caller).join('')}</Grantee>`, text('Permission', 'FULL_CONTROL')),
    ),
  );
}

/** Accepts the access control list that everything has. @throws {SvcError} `AccessControlListNotSupported`: the request sets another one. */
export function refuseOtherAcl(request: S3Request): void {
  const acl = request.header('x-amz-acl');
  if (acl !== undefined && acl !== 'private' && acl !== 'bucket-owner-full-control') throw notSupported();
}

/** Accepts full control of the caller alone. @throws {SvcError} `AccessControlListNotSupported`. */
export function refuseOtherGrants({ root: name, items }: XmlAnswer, caller: Caller): void {
  const named = (each: string) => items.filter((item) => item.name === each);
  const [grant, ...moreGrants] = named('Grant');
  const [grantee, ...moreGrantees] = named('Grantee');
  const isOwn =
    name === 'AccessControlPolicy' &&
    items.every((item) => ['Owner', 'Grant', 'Grantee'].includes(item.name)) &&
    moreGrants.length + moreGrantees.length === 0 &&
    grant?.fields['Permission'] === 'FULL_CONTROL' &&
    grantee?.fields['ID'] === idOf(caller) &&
    Object.keys(grantee.fields).every((field) => field === 'ID' || field === 'DisplayName');
  if (!isOwn) throw notSupported();
}

function notSupported(): Error {
  return s3Fault('AccessControlListNotSupported', 'policies decide who may do what here, not access control lists');
}
