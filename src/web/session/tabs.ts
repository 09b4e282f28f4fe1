/** Word between the tabs of one browser that the session changed; no tab believes it without asking the service. */
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
