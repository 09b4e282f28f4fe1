import { route, type HandRoute } from '../routing/route.ts';

/** The route `/api/openapi.json`. The document describes this route too, so it is made on the first request, when all routes are known. */
export function referenceRoutes(document: () => Record<string, unknown>): HandRoute[] {
  let bytes: Buffer | undefined;
  const bytesOfDocument = (): Buffer => (bytes ??= Buffer.from(JSON.stringify(document())));
  return [
    route({
      method: 'get',
      path: '/api/openapi.json',
      tag: 'Reference',
      operation: 'service/read',
      summary: 'This description',
      access: { kind: 'session' },
      responses: { 200: { description: 'An OpenAPI 3.1 document.', schema: { type: 'object' } } },
      // One buffer for all answers, however many clients do not read them.
      handle: () => ({
        status: 200,
        bytes: bytesOfDocument(),
        headers: {
          'Cache-Control': 'no-store',
          'Content-Type': 'application/json; charset=utf-8',
          'Content-Length': String(bytesOfDocument().length),
        },
      }),
    }),
  ];
}
