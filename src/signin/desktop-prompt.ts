/** The `prompt` of a desktop login; `none` sends no prompt. */
export type DesktopPrompt = 'login' | 'select_account' | 'consent' | 'none';

/** What an administrator does about a provider that cannot make people authenticate again. */
export const PROMPT_REMEDY = 'an administrator can set `auth.oidc.desktop_prompt: select_account`';

/** What a provider that refuses a desktop login perhaps lacks, and what to do about it. */
export function promptAdvice(prompt: DesktopPrompt): string {
  if (prompt === 'login') return `perhaps it does not support \`max_age\`: ${PROMPT_REMEDY}`;
  return `perhaps it does not support \`prompt=${prompt}\`: an administrator can set \`auth.oidc.desktop_prompt: none\``;
}

/**
 * The parameters that make the provider ask the person again. A desktop login gives a credential to a program, so an existing session at the provider is not
 * enough (RFC 8252 section 8.6).
 */
export function promptOf(prompt: DesktopPrompt): Record<string, string> {
  if (prompt === 'none') return {};
  return prompt === 'login' ? { prompt, max_age: '0' } : { prompt };
}
