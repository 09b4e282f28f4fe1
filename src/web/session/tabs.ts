/** A message between the tabs of a browser about a change of the session. A tab that receives it checks the session with the service. */
export type Announcement = 'signed-in' | 'signing-out' | 'signed-out';

const ANNOUNCEMENTS: readonly unknown[] = ['signed-in', 'signing-out', 'signed-out'] satisfies Announcement[];

const channel = new BroadcastChannel('svc-session');

export function announce(what: Announcement): void {
  channel.postMessage(what);
}

export function onAnnouncement(listener: (what: Announcement) => void): void {
  channel.addEventListener('message', (event: MessageEvent<unknown>) => {
    if (ANNOUNCEMENTS.includes(event.data)) listener(event.data as Announcement);
  });
}
