import { lazy, type ComponentType, type LazyExoticComponent } from 'react';

/** @property preload - loads the code before it is needed. Whoever opens the part is told of a failure. */
export type LazyPart<P> = LazyExoticComponent<ComponentType<P>> & { readonly preload: () => void };

/** The code of a part of the UI could not be loaded, because the service was updated since the page was opened or because there is no connection. */
export class PartMissing extends Error {
  override readonly name = 'PartMissing';
}

/** Loads the code of a part of the UI. @throws {PartMissing} */
export async function loadPart<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (cause) {
    throw new PartMissing('a part of the page could not be loaded', { cause });
  }
}

/** A component whose code is loaded when it is first rendered. It has to be inside a {@link Boundary}. */
export function lazyPart<P>(load: () => Promise<ComponentType<P>>): LazyPart<P> {
  let loaded: { readonly default: ComponentType<P> } | undefined;
  const loading = async () => (loaded = { default: await loadPart(load) });
  return Object.assign(
    lazy(() => (loaded === undefined ? loading() : atOnce(loaded))),
    { preload: () => void loading().catch(() => undefined) },
  );
}

/** React renders a part that is there already at once, if it is told so at once; behind a promise it would wait for 300 ms. */
function atOnce<T>(value: T): Promise<T> {
  return { then: (go: (value: T) => unknown) => void go(value) } as unknown as Promise<T>;
}
