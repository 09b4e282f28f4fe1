/** Gives `@jest/globals` to tests that run without jest's own loader of modules, which would make it. */
import { registerHooks } from 'node:module';

const NAMES = ['afterAll', 'afterEach', 'beforeAll', 'beforeEach', 'describe', 'expect', 'it', 'jest'];
const url = `data:text/javascript,export const { ${NAMES.join(', ')} } = globalThis`;

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === '@jest/globals' ? { url, shortCircuit: true } : next(specifier, context),
});
