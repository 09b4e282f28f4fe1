import type { Visitor } from './visitor.ts';

/** As an administrator does it on the sessions page. */
export async function endSessionsOf(origin: string, admin: Visitor, subject: string): Promise<void> {
  const headers = { accept: 'application/json' };
  const response = await admin.request(`${origin}/api/admin/sessions`, { headers });
  const { sessions } = (await response.json()) as { sessions: { id: string; subject: string }[] };
  for (const session of sessions.filter((other) => other.subject === subject))
    await admin.request(`${origin}/api/admin/sessions/${session.id}`, { method: 'DELETE', headers });
}
