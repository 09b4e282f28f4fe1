import { lazy, type ComponentType, type LazyExoticComponent } from 'react';

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
export function lazyPart<P>(load: () => Promise<ComponentType<P>>): LazyExoticComponent<ComponentType<P>> {
  return lazy(async () => ({ default: await loadPart(load) }));
}
