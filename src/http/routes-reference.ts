import { route, type HandRoute } from './route.ts';

/** Where `/api/openapi.json` stands among the rows that it describes: the document is made from them, so it is asked for late. */
export function referenceRoutes(document: () => Record<string, unknown>): HandRoute[] {
  return [
    route({
      method: 'get',
      path: '/api/openapi.json',
      tag: 'Reference',
      operation: 'service/read',
      summary: 'This description',
      access: { kind: 'session' },
      responses: { 200: { description: 'An OpenAPI 3.1 document.', schema: { type: 'object' } } },
      handle: () => ({ status: 200, json: document() }),
    }),
  ];
}
