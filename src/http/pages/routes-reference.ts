import { route, type HandRoute } from '../routing/route.ts';

/** The route `/api/openapi.json`. The document describes this route too, so it is made on the first request, when all routes are known. */
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
