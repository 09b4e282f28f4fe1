import { t } from '../words/words.ts';

/** The reasons of the audit that people can do something about or would ask about. */
const REASONS: Readonly<Record<string, string>> = {
  precondition_failed: t('The name was taken, or the file had changed.'),
  not_found: t('The file did not exist.'),
  no_matching_allow: t('No rule allows it.'),
  explicit_deny: t('A rule denies it.'),
  client_gone: t('The connection was closed before the end.'),
  session_ended: t('The session ended before the end.'),
  session_expired: t('The session ended before the end.'),
  storage_unavailable: t('Storage could not be reached.'),
  storage_timeout: t('Storage did not answer in time.'),
};

/** Why something was denied or failed, in words. Other reasons are shown as the code of the audit. */
export function reasonText(why: string): string {
  return REASONS[why] ?? why;
}
