import pLimit from 'p-limit';
import { failureOf } from '../../src/transfer/failure.ts';
import { sendUpload } from '../../src/transfer/send.ts';
import { RememberedUploads } from '../../src/web/work/remembered.ts';
import { sourceOf } from '../../src/web/work/send.ts';
import { serviceTransport } from '../../src/web/work/service-transport.ts';
import type { AskedUpload } from './contract.ts';

/** What a page does that uploads the file of its only input with the session cookie. */
async function upload({ key, whenTaken }: Pick<AskedUpload, 'key' | 'whenTaken'>): Promise<string> {
  const [file] = document.querySelector('input')!.files!;
  try {
    await sendUpload(
      { file: sourceOf(file!), target: { provider: 'main', bucket: 'files', key }, whenTaken },
      {
        transport: serviceTransport,
        resumeStore: new RememberedUploads(
          () => localStorage,
          () => 'eve',
        ),
        requests: pLimit(1),
        partsAtOnce: 1,
        signal: new AbortController().signal,
        firstDelayMs: 50,
        onSent: () => undefined,
      },
    );
    return 'stored';
  } catch (error) {
    return failureOf(error).code;
  }
}

Object.assign(globalThis, { upload });
