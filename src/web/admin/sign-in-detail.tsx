import { Anchor, Badge, Button, Code, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { Link } from 'react-router';
import { visibleText } from '../names/visible.ts';
import { copyText } from '../clipboard/clipboard.ts';
import { rich } from '../words/rich.ts';
import { meaningOf, plural, t } from '../words/words.ts';
import { Names } from './names.tsx';
import type { KeptSignIn } from './records.ts';

/** What the identity provider said of one sign-in, what the configuration made of it, and how to change that. */
export function SignInDetail({ signIn }: { readonly signIn: KeptSignIn }) {
  const { id, claims, subject, left_out: leftOut } = signIn;
  return (
    <Stack gap="md">
      {signIn.result === 'refused' && <Reason signIn={signIn} />}
      {subject !== undefined && (
        <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg" verticalSpacing="md">
          <Part title={t('Claims that came')}>
            <Names names={claims.map(visibleText)} none={t('none')} />
            <LookedFor signIn={signIn} />
          </Part>
          <Part title={t('Groups')}>
            <Groups signIn={signIn} />
          </Part>
          <Part title={t('Bindings that matched')}>
            <Bindings signIn={signIn} />
          </Part>
          <Fix signIn={signIn} />
        </SimpleGrid>
      )}
      <Group gap="md">
        <Text size="xs" c="dimmed">
          {rich('Request {id}', { id: <Code>{id}</Code> })}
          {leftOut > 0 && ` · ${plural(leftOut, '{count} claim, group or binding more', '{count} claims, groups and bindings more')}`}
        </Text>
        {subject !== undefined && (
          <Anchor component={Link} size="xs" to={`/admin/view-as?${asPerson(signIn)}`}>
            {t('View as this person')}
          </Anchor>
        )}
      </Group>
    </Stack>
  );
}

function Part({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <Stack gap={6} component="section" aria-label={title} miw={0}>
      <Text size="sm" fw={600}>
        {title}
      </Text>
      {children}
    </Stack>
  );
}

/** The service writes its reasons in English; what the code means is told in the reader's language. */
function Reason({ signIn: { code = 'internal', detail, provider_error: said } }: { readonly signIn: KeptSignIn }) {
  const meaning = meaningOf(code);
  return (
    <Part title={t('Why it was refused')}>
      {meaning !== undefined && <Text size="sm">{meaning}</Text>}
      {detail !== undefined && <Text size="sm">{visibleText(detail.replaceAll(/`([^`]*)`/g, '“$1”'))}</Text>}
      {said !== undefined && <Text size="sm">{rich('The identity provider said {error}', { error: <Code>{said}</Code> })}</Text>}
      <Text size="xs" c="dimmed">
        {code}
      </Text>
    </Part>
  );
}

function LookedFor({ signIn: { subject_claim: subjectClaim, groups_claim: groupsClaim, groups_found: found, local_roles: localRoles } }: { readonly signIn: KeptSignIn }) {
  return (
    <Text size="sm">
      {rich('The subject is read from {subject}, groups from {groups}.', { subject: <Code>{subjectClaim}</Code>, groups: <Code>{groupsClaim}</Code> })}{' '}
      {!found && localRoles === undefined && t('The claim of the groups is not among them: have the identity provider send it, or configure another one.')}
    </Text>
  );
}

function Groups({ signIn: { groups, subject_unsafe: unsafeSubject, local_roles: localRoles } }: { readonly signIn: KeptSignIn }) {
  const unsafe = groups.filter((group) => group.unsafe).map(({ name }) => visibleText(name));
  return (
    <>
      {groups.length === 0 ? (
        <Text size="sm" c="dimmed">
          {localRoles === undefined ? t('no group') : t('This is a local user: groups do not count.')}
        </Text>
      ) : (
        <Group gap={6}>
          {groups.map(({ name, bound }) => (
            <Badge key={name} variant={bound ? 'light' : 'outline'} color={bound ? 'gray' : 'yellow'} {...(!bound && { c: 'var(--mantine-color-text)' })} tt="none" fw={500} radius="sm" maw="100%">
              {visibleText(name)}
              {!bound && ` · ${t('no binding')}`}
            </Badge>
          ))}
        </Group>
      )}
      {unsafeSubject && <Text size="sm">{t('The subject cannot be the name of a folder, so rules for each subject give nothing.')}</Text>}
      {unsafe.length > 0 && <Text size="sm">{t('These cannot be the name of a folder, so rules for each group give nothing: {groups}', { groups: unsafe.join(', ') })}</Text>}
    </>
  );
}

function Bindings({ signIn: { bindings, local_roles: localRoles } }: { readonly signIn: KeptSignIn }) {
  return (
    <>
      {localRoles !== undefined && <Names names={localRoles.map((role) => t('role {role}', { role }))} none={t('no role')} />}
      {bindings.length === 0 && localRoles === undefined && <Text size="sm">{t('None: nothing is bound to this subject or to these groups, so they see nothing.')}</Text>}
      {bindings.map(({ place, groups, role, policies = [] }) => (
        <Text key={place} size="sm">
          {t('Binding {number}', { number: place + 1 })}: {groups.length === 0 ? t('by the subject') : plural(groups.length, 'by the group {names}', 'by the groups {names}', { names: groups.map(visibleText).join(', ') })}{' → '}
          {role === undefined ? policies.join(', ') : t('role {role}', { role })}
        </Text>
      ))}
    </>
  );
}

/** What an administrator adds to the configuration, ready to be copied. */
function Fix({ signIn: { groups } }: { readonly signIn: KeptSignIn }) {
  const [copied, setCopied] = useState(false);
  const unbound = groups.filter(({ bound, name }) => !bound && !name.endsWith('…')).map(({ name }) => name);
  if (unbound.length === 0) return null;
  const yaml = ['bindings:', '  - groups:', ...unbound.map((name) => `      - ${JSON.stringify(name)}`), '    role: ROLE'].join('\n');
  return (
    <Part title={t('Groups that no binding names')}>
      <Text size="sm">{t('To give them something, add this to the configuration, with one of your roles in place of ROLE. Leave out the groups that should have nothing.')}</Text>
      <Code block tabIndex={0} role="region" aria-label={t('Configuration to add')} mah={240} style={{ overflow: 'auto' }}>
        {yaml}
      </Code>
      <Button variant="default" size="compact-sm" w="max-content" onClick={() => void copyText(yaml).then(setCopied)}>
        {copied ? t('Copied') : t('Copy')}
      </Button>
    </Part>
  );
}

function asPerson({ subject = '', issuer, groups }: KeptSignIn): string {
  return new URLSearchParams([['subject', subject], ['issuer', issuer], ...groups.filter(({ bound }) => bound).map(({ name }) => ['group', name])]).toString();
}
