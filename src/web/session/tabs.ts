/** Word between the tabs of one browser that the session changed; no tab believes it without asking the service. */
export type Announcement = 'signed-in' | 'signed-out';

const channel = new BroadcastChannel('svc-session');

export function announce(what: Announcement): void {
  channel.postMessage(what);
}

export function onAnnouncement(listener: (what: Announcement) => void): void {
  channel.addEventListener('message', (event: MessageEvent<unknown>) => {
    if (event.data === 'signed-in' || event.data === 'signed-out') listener(event.data);
  });
}
