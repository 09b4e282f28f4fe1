import type { Params, Protocol } from './protocol.ts';
import type { PageMethod } from './window.ts';

const BINDING = 'svcDesktopCall';
/** The properties by which the script below receives answers, and gives the files of a call. */
const ANSWER = "Symbol.for('svc answer')";
const FILES = "Symbol.for('svc files')";

type Context = {
  readonly id: number;
  readonly uniqueId: string;
  readonly origin: string;
  readonly auxData?: { readonly frameId?: string; readonly isDefault?: boolean };
};
type Remote = { readonly objectId?: string };
type Property = { readonly name: string; readonly value?: Remote };
type Call = { readonly id: number; readonly method: string; readonly params: Params };

/**
 * Provides `window.svcDesktop` to the page in the window: methods of the main process that know their caller.
 *
 * The browser reports in which script context a call was made. Only calls of the window's own document on the window's own origin are answered; calls from
 * frames, other origins and extensions are ignored.
 */
export class PageMethods {
  readonly #protocol: Protocol;
  readonly #page: { readonly sessionId: string; readonly frameId: string; readonly origin: string };
  readonly #methods: Readonly<Record<string, PageMethod>>;
  /** The contexts that may call, by id. */
  readonly #own = new Map<number, string>();

  /** @param page - `frameId` is the main frame's. */
  constructor(
    protocol: Protocol,
    page: { readonly sessionId: string; readonly frameId: string; readonly origin: string },
    methods: Readonly<Record<string, PageMethod>>,
  ) {
    this.#protocol = protocol;
    this.#page = page;
    this.#methods = methods;
  }

  /** Call this before the page is loaded. */
  async install(): Promise<void> {
    const { sessionId, origin } = this.#page;
    await Promise.all([
      this.#protocol.send('Runtime.enable', {}, sessionId),
      this.#protocol.send('Runtime.addBinding', { name: BINDING }, sessionId),
      this.#protocol.send(
        'Page.addScriptToEvaluateOnNewDocument',
        { source: script(origin, Object.keys(this.#methods)) },
        sessionId,
      ),
    ]);
  }

  hear(method: string, params: Params): void {
    if (method === 'Runtime.executionContextCreated') this.#noteContext(params['context'] as Context);
    else if (method === 'Runtime.executionContextDestroyed') this.#own.delete(params['executionContextId'] as number);
    else if (method === 'Runtime.executionContextsCleared') this.#own.clear();
    else if (method === 'Runtime.bindingCalled' && params['name'] === BINDING)
      void this.#answer(params['executionContextId'] as number, params['payload'] as string).catch(() => undefined);
  }

  #noteContext({ id, uniqueId, origin, auxData }: Context): void {
    if (auxData?.isDefault === true && auxData.frameId === this.#page.frameId && origin === this.#page.origin)
      this.#own.set(id, uniqueId);
  }

  async #answer(contextId: number, payload: string): Promise<void> {
    const context = this.#own.get(contextId);
    if (context === undefined) return;
    const { id, method, params } = JSON.parse(payload) as Call;
    const answer = await this.#call(method, params, () => this.#filePaths(context, id));
    // A page that was left in the meantime has another context, which does not receive this answer.
    await this.#protocol.send(
      'Runtime.evaluate',
      { expression: `window.svcDesktop[${ANSWER}](${JSON.stringify({ id, ...answer })})`, uniqueContextId: context },
      this.#page.sessionId,
    );
  }

  /**
   * Asks the browser for the paths of the `File` objects, which it knows from the dialog or the drop. For other values, and for files that a script made, it
   * knows no path.
   */
  async #filePaths(context: string, callId: number): Promise<string[]> {
    const { sessionId } = this.#page;
    const objectGroup = `files of call ${callId}`;
    try {
      const { result: list } = await this.#protocol.send(
        'Runtime.evaluate',
        { expression: `window.svcDesktop[${FILES}](${JSON.stringify(callId)})`, uniqueContextId: context, objectGroup },
        sessionId,
      );
      const { result: properties } = await this.#protocol.send(
        'Runtime.getProperties',
        { objectId: (list as Remote).objectId, ownProperties: true },
        sessionId,
      );
      const files = (properties as readonly Property[]).filter(({ name }) => /^\d+$/.test(name));
      return await Promise.all(
        files.map(async ({ value }) => {
          const info = await this.#protocol
            .send('DOM.getFileInfo', { objectId: value?.objectId }, sessionId)
            .catch((): Params => ({}));
          return typeof info['path'] === 'string' ? info['path'] : '';
        }),
      );
    } finally {
      await this.#protocol.send('Runtime.releaseObjectGroup', { objectGroup }, sessionId);
    }
  }

  async #call(
    name: string,
    params: Params,
    filePaths: () => Promise<string[]>,
  ): Promise<{ readonly result: unknown } | { readonly error: string }> {
    try {
      const method = Object.hasOwn(this.#methods, name) ? this.#methods[name] : undefined;
      if (method === undefined) return { error: `there is no method \`${name}\`` };
      return { result: (await method(params, filePaths)) ?? null };
    } catch (error) {
      return { error: error instanceof Error ? error.message : String(error) };
    }
  }
}

/**
 * The script that runs in every document before its own scripts. It removes the function for calls from frames and other origins, whose calls are ignored
 * anyway.
 */
function script(origin: string, methods: readonly string[]): string {
  return `(() => {
    const call = globalThis.${BINDING};
    delete globalThis.${BINDING};
    if (window.top !== window || location.origin !== ${JSON.stringify(origin)}) return;
    const waiting = new Map();
    let lastId = 0;
    const ask = (method, { files, ...params } = {}) => new Promise((resolve, reject) => {
      waiting.set(++lastId, { resolve, reject, files });
      call(JSON.stringify({ id: lastId, method, params }));
    });
    const filesOf = (id) => [...(waiting.get(id)?.files ?? [])];
    const answer = ({ id, result, error }) => {
      const { resolve, reject } = waiting.get(id);
      waiting.delete(id);
      if (error === undefined) resolve(result);
      else reject(new Error(error));
    };
    const methods = Object.fromEntries(${JSON.stringify(methods)}.map((name) => [name, (params) => ask(name, params)]));
    Object.defineProperty(window, 'svcDesktop', { value: Object.freeze({ ...methods, [${ANSWER}]: answer, [${FILES}]: filesOf }) });
  })()`;
}
