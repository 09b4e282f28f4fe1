import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe } from '@jest/globals';
import { signInDesktop } from '../../support/desktop-client.ts';
import { uploadContract } from '../../transfer/contract.ts';

describe('an upload by JSON-RPC with tickets', () => {
  uploadContract(async (app, origin, directory) => {
    const { access_token: session } = await signInDesktop(app, 'eve');
    return {
      upload: async (asked) => {
        const args = [
          join(import.meta.dirname, '../../transfer/ticket-client.ts'),
          origin,
          session,
          JSON.stringify(asked),
        ];
        const child = spawn(process.execPath, args, {
          env: { ...process.env, XDG_STATE_HOME: directory },
          stdio: ['ignore', 'pipe', 'inherit'],
        });
        const gone = once(child, 'close');
        return {
          ended: text(child.stdout).then((said) => said.trim()),
          kill: async () => {
            child.kill('SIGKILL');
            await gone;
          },
        };
      },
      close: () => Promise.resolve(),
    };
  });
});
