import { http, type PathParams, type RequestHandler, type RequestHandlerOptions, ws } from 'msw';
import { SIGNATURE } from '../../generated/contract.gen.ts';
import type { paths } from '../../generated/gateway.v1.gen.ts';
import { SERVICE_NAME_PATTERN } from '../../generated/msw.gen.ts';
import { type MswContext, toPattern } from '../context.ts';
import { allowPages } from '../cors.ts';
import { toEventStream, toListStream, wantsEvents } from './event-stream.ts';
import { gatewayError } from './gateway-error.ts';
import type { MswService, ServiceAnswer, ServiceRequest } from './msw-service.ts';
import { toGatewayAnswer } from './to-gateway-answer.ts';

const ROOT = '/v1/cloudrun/{name}' satisfies keyof paths;

type Resolve = (call: ServiceRequest) => ServiceAnswer | Promise<ServiceAnswer>;

/** Makes handlers of hosted services, and the default one. */
export function createMswGateway(context: MswContext): {
  service(name: string): MswService;
  defaults: RequestHandler[];
} {
  const { gatewayUrl } = context;
  const answer = async (call: { request: Request; params: PathParams }, resolve: Resolve) => {
    const refusal = checkCredentials(call.request);
    const result = refusal ?? (await resolve({ request: call.request, params: call.params }));
    return toGatewayAnswer(result, call.request, context);
  };
  const service = (name: string): MswService => {
    if (!new RegExp(SERVICE_NAME_PATTERN).test(name)) {
      throw new TypeError(`"${name}" is no name of a hosted service.`);
    }
    const toUrl = (path: string) =>
      [gatewayUrl + ROOT.replace('{name}', name), path.replace(/^\//, '')]
        .filter(Boolean)
        .join('/');
    const handle =
      (methods: RegExp) => (path: string, resolve: Resolve, options?: RequestHandlerOptions) =>
        http.all(
          toUrl(path),
          (call) => (methods.test(call.request.method) ? answer(call, resolve) : undefined),
          options,
        );
    const get = handle(/^(GET|HEAD)$/);
    return {
      get,
      post: handle(/^POST$/),
      events: (path, events, options) => {
        const handler = get(
          path,
          async ({ request, params }) => {
            if (!wantsEvents(request)) return undefined;
            const lastEventId = request.headers.get('Last-Event-ID') ?? undefined;
            const source =
              typeof events === 'function'
                ? await events({ request, params, lastEventId })
                : events;
            if (source === undefined || source instanceof Response) return source;
            return Symbol.asyncIterator in source
              ? toEventStream(source, request)
              : toListStream(source, request);
          },
          options,
        );
        // MSW logs whole answers in browsers, and so would wait for the end of the events.
        const log: typeof handler.log = async ({ response }) => response.body?.cancel();
        return Object.assign(handler, { log });
      },
      connect: (path, listener) =>
        ws.link(toUrl(path).replace(/^http/, 'ws')).addEventListener('connection', listener),
    };
  };
  const all = toPattern(gatewayUrl, `${ROOT.replace('{name}', '([^/]*)')}(/.*)?`);
  const unknown = http.all(all, (call) => answer(call, () => refuseUnknown(call.request, all)));
  return { service, defaults: [allowPages(all, 'gateway'), unknown] };
}

function refuseUnknown({ method, url }: Request, pattern: RegExp): Response {
  const [, name = '', path = ''] = pattern.exec(url.replace(/[?#].*/, '')) ?? [];
  if (!/^(GET|HEAD|POST)$/.test(method)) return gatewayError('METHOD_NOT_ALLOWED');
  if (!new RegExp(SERVICE_NAME_PATTERN).test(name)) return gatewayError('INVALID_REQUEST');
  const missing = `service('${name}').${method === 'POST' ? 'post' : 'get'}('${path.slice(1)}', …)`;
  return gatewayError('SERVICE_NOT_FOUND', { message: `No handler answers it: add ${missing}.` });
}

/** "No credentials, or bad ones: 4xx with the error body" (D15). Any of the right form are good. */
function checkCredentials({ headers }: Request): Response | undefined {
  const authorization = headers.get('Authorization');
  if (!authorization) return gatewayError('MISSING_CREDENTIALS');
  const isKnown =
    /^Bearer +\S/i.test(authorization) || authorization.startsWith(`${SIGNATURE.algorithm} `);
  return isKnown ? undefined : gatewayError('INVALID_CREDENTIALS');
}
