import { RpcConnection } from './rpc-client.ts';

const WAIT_MS = 30_000;

/** A client on a socket that watches folders of the bucket `files`. */
export class FolderWatcher {
  readonly connection: RpcConnection;
  /** Every message so far: the watch that it names, and when it came. */
  readonly told: { readonly watch: string; readonly at: number }[] = [];
  /** Every text that came which answers no call. */
  readonly texts: string[] = [];
  #hear: () => void = () => undefined;

  private constructor(connection: RpcConnection) {
    this.connection = connection;
    connection.socket.on('message', (data: Buffer) => {
      const message = JSON.parse(data.toString()) as { readonly method?: string; readonly params: { watch: string } };
      if (message.method !== 'object/changed') return;
      this.texts.push(data.toString());
      this.told.push({ watch: message.params.watch, at: performance.now() });
      this.#hear();
    });
  }

  static async open(origin: string, credential: string, publicOrigin = origin): Promise<FolderWatcher> {
    const headers = { origin: publicOrigin, authorization: `Bearer ${credential}` };
    const connection = await RpcConnection.open(origin, headers);
    if (typeof connection === 'number') throw new Error(`refused with ${connection}`);
    return new FolderWatcher(connection);
  }

  async watch(prefix: string): Promise<string> {
    const answer = await this.connection.call('object/watch', { provider: 'main', bucket: 'files', prefix });
    if (!('result' in answer)) throw new Error(JSON.stringify(answer));
    return (answer.result as { readonly watch: string }).watch;
  }

  /** Resolves when there were so many messages about the watch. */
  async hears(watch: string, times = 1): Promise<void> {
    const count = () => this.told.filter((each) => each.watch === watch).length;
    for (const end = performance.now() + WAIT_MS; count() < times;) {
      if (performance.now() > end) throw new Error(`${count()} messages about ${watch}, and not ${times}`);
      const { promise, resolve } = Promise.withResolvers<undefined>();
      this.#hear = () => resolve(undefined);
      const timer = setTimeout(this.#hear, 1_000);
      await promise;
      clearTimeout(timer);
    }
  }

  async close(): Promise<void> {
    this.connection.socket.close();
    await this.connection.closed;
  }
}
