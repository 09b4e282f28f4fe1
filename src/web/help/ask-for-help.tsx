import { Anchor, Button, Group, InputBase } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'react-router';
import { ui } from '../brand/ui.ts';
import { servicePath } from '../base.ts';
import { copyText } from '../clipboard/clipboard.ts';
import { visibleText } from '../names/visible.ts';
import { checkLink } from '../place/admin-link.ts';
import { useSession } from '../session/use-session.ts';
import { t } from '../words/words.ts';

/** The facts about a problem by their displayed names, such as `Action`, `Place` and `Request`. */
export type Facts = Readonly<Record<string, string | undefined>>;

const NOBODY = { subject: '', issuer: '', groups: [], isAdmin: false };

/**
 * A button that copies the details of the user and the problem, and a link to the help that is configured.
 *
 * @param refused - the action and the place that a policy denied. Administrators get a link to the explanation.
 */
export function AskForHelp({
  facts = {},
  refused,
}: {
  readonly facts?: Facts;
  readonly refused?: { readonly action: string; readonly place: Parameters<typeof checkLink>[2] };
}) {
  const session = useSession();
  const [copied, setCopied] = useState<boolean>();
  const { subject, issuer, groups, isAdmin } =
    session.status === 'active' || session.status === 'ended' ? session.account : NOBODY;
  const check =
    refused === undefined || subject === ''
      ? undefined
      : checkLink({ subject, issuer, groups }, refused.action, refused.place);
  const forAdministrators =
    check === undefined ? undefined : new URL(servicePath(check.slice(1)), window.location.href).href;
  const all: Facts = {
    Service: ui.name,
    Subject: subject,
    Issuer: issuer,
    Groups: groups.join(', '),
    ...facts,
    Address: window.location.href,
    'For administrators': forAdministrators,
  };
  const details = Object.entries(all)
    // Whoever reads the details takes each line for one of the service.
    .flatMap(([name, value]) => (value === undefined || value === '' ? [] : [`${name}: ${visibleText(value)}`]))
    .join('\n');
  return (
    <>
      <Group justify="center" gap="xs" mt="sm">
        {ui.help !== undefined && (
          <Anchor href={helpAddress(ui.help.url, details)} target="_blank" rel="noreferrer" size="sm">
            {ui.help.text}
          </Anchor>
        )}
        {check !== undefined && isAdmin && (
          <Anchor component={Link} to={check} size="sm">
            {t('Check access')}
          </Anchor>
        )}
        <Button variant="subtle" size="compact-sm" onClick={() => void copyText(details).then(setCopied)}>
          {copied === true ? t('Copied') : t('Copy details')}
        </Button>
      </Group>
      {copied === false && (
        <InputBase
          component="textarea"
          multiline
          rows={details.split('\n').length}
          aria-label={t('Details')}
          description={t('Your browser does not allow copying here. Press Ctrl and C.')}
          value={details}
          readOnly
          autoFocus
          mt="xs"
          ta="left"
          onFocus={(event) => event.currentTarget.select()}
        />
      )}
    </>
  );
}

/** The maximum length of the details in a `mailto` link, because mail programs refuse longer ones. */
const MOST_CHARACTERS = 1_500;

/** Adds the details to the body of a `mailto` link. Other links stay as they are. */
function helpAddress(url: string, details: string): string {
  if (!/^mailto:/i.test(url)) return url;
  return `${url}${url.includes('?') ? '&' : '?'}body=${encodeURIComponent(`\n\n${details.slice(0, MOST_CHARACTERS)}`.toWellFormed().replaceAll('\n', '\r\n'))}`;
}
