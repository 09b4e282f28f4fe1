import { lazy, type ComponentType, type LazyExoticComponent } from 'react';

/** A part of the UI that could not be loaded: the service was updated since the page was opened, or there is no connection. */
export class PartMissing extends Error {
  override readonly name = 'PartMissing';
}

/** Loads a part of the UI. @throws {PartMissing} */
export async function loadPart<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (cause) {
    throw new PartMissing('a part of the page could not be loaded', { cause });
  }
}

/** A component that is loaded when it is first drawn. Stands inside of a {@link Boundary}. */
export function lazyPart<P>(load: () => Promise<ComponentType<P>>): LazyExoticComponent<ComponentType<P>> {
  return lazy(async () => ({ default: await loadPart(load) }));
}
