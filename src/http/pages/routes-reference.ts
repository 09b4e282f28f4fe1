import { compressedOnce } from '../routing/compressed.ts';
import { route, type HandRoute } from '../routing/route.ts';

/** The route `/api/openapi.json`. The document describes this route too, so it is made on the first request, when all routes are known. */
export function referenceRoutes(document: () => Record<string, unknown>): HandRoute[] {
  const bytesFor = compressedOnce(() => Buffer.from(JSON.stringify(document())));
  return [
    route({
      method: 'get',
      path: '/api/openapi.json',
      tag: 'Reference',
      operation: 'service/read',
      summary: 'This description',
      access: { kind: 'session' },
      responses: { 200: { description: 'An OpenAPI 3.1 document.', schema: { type: 'object' } } },
      handle: async ({ req }) => {
        const { headers, body } = await bytesFor(req);
        return {
          status: 200,
          bytes: body,
          headers: {
            'Cache-Control': 'no-store',
            'Content-Type': 'application/json; charset=utf-8',
            'Content-Length': String(body.length),
            ...headers,
          },
        };
      },
    }),
  ];
}
