import type { Place } from '../place/place.ts';

type Bucket = Pick<Place, 'provider' | 'bucket'>;

/** Messages between the tabs of this browser: which bucket one of them changed. */
const channel = new BroadcastChannel('svc-changes');

export function tellTabs({ provider, bucket }: Bucket): void {
  channel.postMessage({ provider, bucket });
}

/** Calls the listener when another tab changed a bucket. @returns a function that stops this. */
export function onChangeElsewhere(listener: (bucket: Bucket) => void): () => void {
  const hear = ({ data }: MessageEvent<Bucket>): void => listener(data);
  channel.addEventListener('message', hear);
  return () => channel.removeEventListener('message', hear);
}
