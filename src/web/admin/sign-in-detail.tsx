import { Anchor, Badge, Button, Code, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { Link } from 'react-router';
import { visibleText } from '../names/visible.ts';
import { copyText } from '../clipboard/clipboard.ts';
import { rich } from '../words/rich.ts';
import { meaningOf, plural, t } from '../words/words.ts';
import { bindingYaml } from './binding-yaml.ts';
import { Names } from './names.tsx';
import type { KeptSignIn } from './records.ts';

/** The details of a sign-in: the claims, the groups, the bindings that matched, and how to bind the other groups. */
export function SignInDetail({ signIn }: { readonly signIn: KeptSignIn }) {
  const { id, claims, subject, left_out: leftOut } = signIn;
  return (
    <Stack gap="md">
      {signIn.result === 'refused' && <Reason signIn={signIn} />}
      {subject !== undefined && (
        <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg" verticalSpacing="md">
          <Part title={t('Received claims')}>
            <Names names={claims.map(visibleText)} none={t('none')} />
            <LookedFor signIn={signIn} />
          </Part>
          <Part title={t('Groups')}>
            <Groups signIn={signIn} />
          </Part>
          <Part title={t('Matching bindings')}>
            <Bindings signIn={signIn} />
          </Part>
          <Fix signIn={signIn} />
        </SimpleGrid>
      )}
      <Group gap="md">
        <Text size="xs" c="dimmed">
          {rich('Request {id}', { id: <Code>{id}</Code> })}
          {leftOut > 0 &&
            ` · ${plural(leftOut, '{count} more claim, group or binding', '{count} more claims, groups and bindings')}`}
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

/** Why a sign-in was refused. The detail from the service is in English; the meaning of the error code is in the language of the page. */
function Reason({ signIn: { code = 'internal', detail, provider_error: said } }: { readonly signIn: KeptSignIn }) {
  const meaning = meaningOf(code);
  return (
    <Part title={t('Why it was refused')}>
      {meaning !== undefined && <Text size="sm">{meaning}</Text>}
      {detail !== undefined && <Text size="sm">{visibleText(detail.replaceAll(/`([^`]*)`/g, '“$1”'))}</Text>}
      {said !== undefined && (
        <Text size="sm">{rich('The identity provider answered {error}', { error: <Code>{said}</Code> })}</Text>
      )}
      <Text size="xs" c="dimmed">
        {code}
      </Text>
    </Part>
  );
}

function LookedFor({
  signIn: { subject_claim: subjectClaim, groups_claim: groupsClaim, groups_found: found, local_roles: localRoles },
}: {
  readonly signIn: KeptSignIn;
}) {
  return (
    <Text size="sm">
      {rich('The subject is read from {subject}, groups from {groups}.', {
        subject: <Code>{subjectClaim}</Code>,
        groups: <Code>{groupsClaim}</Code>,
      })}{' '}
      {!found &&
        localRoles === undefined &&
        t('The groups claim is missing. Configure the identity provider to send it, or configure another claim.')}
    </Text>
  );
}

function Groups({
  signIn: { groups, subject_unsafe: unsafeSubject, local_roles: localRoles },
}: {
  readonly signIn: KeptSignIn;
}) {
  const unsafe = groups.filter((group) => group.unsafe).map(({ name }) => visibleText(name));
  return (
    <>
      {groups.length === 0 ? (
        <Text size="sm" c="dimmed">
          {localRoles === undefined ? t('no group') : t('This is a local user, so groups are not used.')}
        </Text>
      ) : (
        <Group gap={6}>
          {groups.map(({ name, bound }) => (
            <Badge
              key={name}
              variant={bound ? 'light' : 'outline'}
              color={bound ? 'gray' : 'yellow'}
              {...(!bound && { c: 'var(--mantine-color-text)' })}
              tt="none"
              fw={500}
              radius="sm"
              maw="100%"
            >
              {visibleText(name)}
              {!bound && ` · ${t('no binding')}`}
            </Badge>
          ))}
        </Group>
      )}
      {unsafeSubject && (
        <Text size="sm">
          {t('The subject cannot be used as a folder name, so rules with a folder for each subject grant nothing.')}
        </Text>
      )}
      {unsafe.length > 0 && (
        <Text size="sm">
          {t(
            'These groups cannot be used as folder names, so rules with a folder for each group grant nothing: {groups}',
            { groups: unsafe.join(', ') },
          )}
        </Text>
      )}
    </>
  );
}

function Bindings({ signIn: { bindings, local_roles: localRoles } }: { readonly signIn: KeptSignIn }) {
  return (
    <>
      {localRoles !== undefined && (
        <Names names={localRoles.map((role) => t('role {role}', { role }))} none={t('no role')} />
      )}
      {bindings.length === 0 && localRoles === undefined && (
        <Text size="sm">{t('None. No binding names this subject or these groups, so this person sees nothing.')}</Text>
      )}
      {bindings.map(({ place, groups, role, policies = [] }) => (
        <Text key={place} size="sm">
          {t('Binding {number}', { number: place + 1 })}:{' '}
          {groups.length === 0
            ? t('by the subject')
            : plural(groups.length, 'by the group {names}', 'by the groups {names}', {
                names: groups.map(visibleText).join(', '),
              })}
          {' → '}
          {role === undefined ? policies.join(', ') : t('role {role}', { role })}
        </Text>
      ))}
    </>
  );
}

/** A binding for the unbound groups as YAML, which an administrator can copy into the configuration. */
function Fix({ signIn: { groups } }: { readonly signIn: KeptSignIn }) {
  const [copied, setCopied] = useState(false);
  const unbound = groups.filter(({ bound, name }) => !bound && !name.endsWith('…')).map(({ name }) => name);
  if (unbound.length === 0) return null;
  const yaml = bindingYaml(unbound);
  return (
    <Part title={t('Groups without a binding')}>
      <Text size="sm">
        {t(
          'To give these groups access, add this to the configuration and replace ROLE with one of your roles. Leave out the groups that should have no access.',
        )}
      </Text>
      <Code
        block
        tabIndex={0}
        role="region"
        aria-label={t('Configuration to add')}
        mah={240}
        style={{ overflow: 'auto' }}
      >
        {yaml}
      </Code>
      <Button variant="default" size="compact-sm" w="max-content" onClick={() => void copyText(yaml).then(setCopied)}>
        {copied ? t('Copied') : t('Copy')}
      </Button>
    </Part>
  );
}

function asPerson({ subject = '', issuer, groups }: KeptSignIn): string {
  return new URLSearchParams([
    ['subject', subject],
    ['issuer', issuer],
    ...groups.filter(({ bound }) => bound).map(({ name }) => ['group', name]),
  ]).toString();
}
