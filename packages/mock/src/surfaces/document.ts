import type { GatewayCall, GatewayInput, GatewayRouter } from '@berth/server-stubs';
import {
  type Call,
  createRouter,
  type HandlerResponse,
  type Input,
  type RouteTable,
} from '@berth/server-stubs/runtime';
import type { Context } from '../context.ts';
import { recordOf } from '../log.ts';
import { corsOf, toRouterOptions } from './router-options.ts';

const HTTP_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'] as const;

const REST = { name: 'anyPath', in: 'path', style: 'simple', explode: false } as const;

const BODY: RouteTable['routes'][number]['body'] = {
  required: false,
  content: [{ mediaType: '*/*', kind: 'binary' }],
};

/** Every method with every path. The routes are those of the document, which may change while it is served. */
const TABLE: RouteTable = {
  title: '',
  securitySchemes: {},
  routes: HTTP_METHODS.flatMap((method) =>
    ['/', '/{anyPath}'].map((path) => ({
      operationId: `${method} ${path}`,
      method,
      path,
      parameters:
        path === '/'
          ? []
          : [{ ...REST, required: true, shape: 'scalar', types: ['string'], greedy: true }],
      body: BODY,
      responses: [],
      security: [],
      passThrough: true,
    })),
  ),
};

/** Creates the surface that serves an OpenAPI document at the root path. WebSockets are not supported. */
export function createDocumentSurface(context: Context): GatewayRouter {
  const cors = corsOf(context, 'gateway');
  const [name = ''] = context.services.names();

  const handle = async ({ body }: Input, call: Call): Promise<HandlerResponse> => {
    const { request, rawPath, rawQuery } = call;
    const { method = 'GET', headers } = request;
    const record = recordOf(request);
    const isPreflight = headers['access-control-request-method'] !== undefined;
    if (method === 'OPTIONS' && isPreflight) return toPreflight(call);
    const hasBody = headers['content-length'] ?? headers['transfer-encoding'];
    record.service = name;
    const input = {
      name,
      anyPath: rawPath.slice(1),
      rawQuery,
      target: request.url ?? '/',
      method,
      headers: withoutOwn(headers as GatewayInput['headers']),
      body: hasBody ? (body as GatewayInput['body']) : undefined,
    };
    const response = await context.services.respond(input, call as GatewayCall);
    if (response === undefined) throw new TypeError('The document has no service.');
    const { status, headers: own, body: sent } = response;
    return { status, ...(own && { headers: own }), body: sent };
  };

  function toPreflight({ request: { headers } }: Call): HandlerResponse {
    return {
      status: 204,
      headers: {
        ...cors.preflight(headers),
        'access-control-allow-methods': HTTP_METHODS.join(', '),
      },
    };
  }

  const { cors: _, onFault: __, ...options } = toRouterOptions(context);
  const router = createRouter(
    TABLE,
    Object.fromEntries(TABLE.routes.map(({ operationId }) => [operationId, handle])),
    {
      ...options,
      headers: ({ request, requestId }) => ({
        ...cors.response(request.headers.origin),
        'access-control-expose-headers': '*',
        'x-request-id': requestId,
      }),
    },
  );
  return Object.assign(router, {
    upgrade: (_request: unknown, socket: { destroy(): void }) => socket.destroy(),
    shouldUpgrade: () => false,
  }) as GatewayRouter;
}

/** Headers meant for the mock are not part of the request. */
function withoutOwn(headers: GatewayInput['headers']): GatewayInput['headers'] {
  if (!Object.keys(headers).some((name) => name.startsWith('x-mock-'))) return headers;
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => !name.startsWith('x-mock-')),
  );
}
