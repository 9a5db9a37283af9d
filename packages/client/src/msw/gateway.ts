import {
  type HttpHandler,
  HttpResponse,
  http,
  type PathParams,
  type RequestHandler,
  type RequestHandlerOptions,
  type WebSocketHandler,
  type WebSocketHandlerConnection,
  ws,
} from 'msw';
import { SIGNATURE } from '../generated/contract.gen.ts';
import type { paths } from '../generated/gateway.v1.gen.ts';
import { GATEWAY_ERRORS, SERVICE_NAME_PATTERN } from '../generated/msw.gen.ts';
import {
  allowAnyOrigin,
  allowPages,
  type ErrorArguments,
  isMswMarker,
  type MswContext,
  toError,
  toPattern,
} from './context.ts';

/** An authenticated call to a hosted service. */
export interface ServiceRequest {
  /** The request. Its body has not been read yet. */
  readonly request: Request;
  /** Values of the path parameters. */
  readonly params: PathParams;
}

/**
 * The response from a hosted service: a complete response, such as `HttpResponse.json(…)`, a string, or
 * anything else, which is sent as JSON. Return nothing to leave the call to the next handler.
 */
export type ServiceResponse = Response | string | number | boolean | object | null | undefined;

/** Handles a call to a hosted service. Return `gatewayError(code)` for an error from the gateway itself. */
export type ServiceResolver = (call: ServiceRequest) => ServiceResponse | Promise<ServiceResponse>;

/** A server-sent event to send. */
export interface ServiceEventInit {
  /** Event type. Default: `message`. */
  readonly event?: string | undefined;
  /** A string, or anything else, which is sent as JSON. */
  readonly data: unknown;
  /** Event ID. Default: none, or in a list the number of the event, starting at 1. */
  readonly id?: string | undefined;
}

/**
 * The events that a path sends. A list is sent once: a client that reconnects after the last event gets 204,
 * which ends its stream. A function returns the events for each connection: a list, an async iterable such as
 * an async generator, or a complete response.
 */
export type EventSourceOf =
  | readonly ServiceEventInit[]
  | ((
      call: ServiceRequest & { readonly lastEventId: string | undefined },
    ) => MaybePromise<
      readonly ServiceEventInit[] | AsyncIterable<ServiceEventInit> | Response | undefined
    >);

type MaybePromise<Value> = Value | Promise<Value>;

/**
 * Creates handlers for one hosted service, to pass to `setupServer`, `setupWorker` or `server.use`. A path is
 * the part of the URL after the service name, with or without a leading `/`, in MSW syntax: `users/:id`. As
 * in the gateway, calls without credentials are rejected, and responses get the gateway's headers.
 */
export interface MswService {
  /**
   * Handles GET requests, and HEAD requests without the body.
   *
   * @example
   * server.use(berth.service('users').get('7', () => ({ name: 'Ada' })));
   */
  get(path: string, resolver: ServiceResolver, options?: RequestHandlerOptions): HttpHandler;
  /**
   * Handles POST requests.
   *
   * @example
   * const orders = berth.service('orders');
   * server.use(orders.post(':user', async ({ request }) => ({ id: 3, ...(await request.json()) })));
   */
  post(path: string, resolver: ServiceResolver, options?: RequestHandlerOptions): HttpHandler;
  /**
   * Handles requests for server-sent events.
   *
   * @example
   * server.use(berth.service('users').events('7/news', [{ event: 'mail', data: { from: 'Bob' } }]));
   */
  events(path: string, events: EventSourceOf, options?: RequestHandlerOptions): HttpHandler;
  /**
   * Handles WebSockets, like the `connection` event of MSW's `ws.link`.
   *
   * @example
   * server.use(berth.service('echo').connect('', ({ client }) => {
   *   client.addEventListener('message', ({ data }) => client.send(data));
   * }));
   */
  connect(
    path: string,
    listener: (connection: WebSocketHandlerConnection) => void,
  ): WebSocketHandler;
}

const ROOT = '/v1/cloudrun/{name}' satisfies keyof paths;

const TYPE = 'text/event-stream';

/** "Text types are those whose `Content-Type` indicates" one of these (C2). */
const TEXT_TYPES = ['application/json', 'application/x-www-form-urlencoded', 'text/plain'];

/** Responses that {@link gatewayError} created, which come from the gateway itself. */
const refusals = new WeakSet<Response>();

export function createMswGateway(context: MswContext): {
  service(name: string): MswService;
  defaults: RequestHandler[];
} {
  const { gatewayUrl } = context;
  const respond = async (
    call: { request: Request; params: PathParams },
    resolve: ServiceResolver,
  ) => {
    const refusal = checkCredentials(call.request);
    const result = refusal ?? (await resolve({ request: call.request, params: call.params }));
    return toGatewayResponse(result, call.request, context);
  };
  const service = (name: string): MswService => {
    if (!new RegExp(SERVICE_NAME_PATTERN).test(name)) {
      throw new TypeError(`"${name}" is not a valid hosted service name.`);
    }
    const toUrl = (path: string) =>
      [gatewayUrl + ROOT.replace('{name}', name), path.replace(/^\//, '')]
        .filter(Boolean)
        .join('/');
    const handle =
      (methods: RegExp) =>
      (path: string, resolve: ServiceResolver, options?: RequestHandlerOptions) =>
        http.all(
          toUrl(path),
          (call) => (methods.test(call.request.method) ? respond(call, resolve) : undefined),
          options,
        );
    const get = handle(/^(GET|HEAD)$/);
    const post = handle(/^POST$/);
    return {
      get,
      post,
      events: (path, events, options) => {
        const handler = get(
          path,
          async ({ request, params }) => {
            if (!request.headers.get('Accept')?.includes(TYPE)) return undefined;
            const lastEventId = request.headers.get('Last-Event-ID') ?? undefined;
            const source =
              typeof events === 'function'
                ? await events({ request, params, lastEventId })
                : events;
            if (source === undefined || source instanceof Response) return source;
            return Symbol.asyncIterator in source
              ? toEventStream(source, request.signal)
              : toListStream(source, request);
          },
          options,
        );
        // In browsers, MSW logs complete responses, and would wait until the events end.
        const log: typeof handler.log = async ({ response }) => response.body?.cancel();
        return Object.assign(handler, { log });
      },
      connect: (path, listener) =>
        ws.link(toUrl(path).replace(/^http/, 'ws')).addEventListener('connection', listener),
    };
  };
  const all = toPattern(gatewayUrl, `${ROOT.replace('{name}', '([^/]*)')}(/.*)?`);
  const unknown = http.all(all, (call) => respond(call, () => refuseUnknown(call.request, all)));
  return { service, defaults: [allowPages(all, 'gateway'), unknown] };
}

function refuseUnknown({ method, url }: Request, pattern: RegExp): Response {
  const [, name = '', path = ''] = pattern.exec(url.replace(/[?#].*/, '')) ?? [];
  if (!/^(GET|HEAD|POST)$/.test(method)) return gatewayError('METHOD_NOT_ALLOWED');
  if (!new RegExp(SERVICE_NAME_PATTERN).test(name)) return gatewayError('INVALID_REQUEST');
  const missing = `service('${name}').${method === 'POST' ? 'post' : 'get'}('${path.slice(1)}', …)`;
  return gatewayError('SERVICE_NOT_FOUND', {
    message: `No handler matches this call: add ${missing}.`,
  });
}

/**
 * Rejects calls without credentials, or with malformed ones (D15). Any well-formed credentials are
 * accepted.
 */
function checkCredentials({ headers }: Request): Response | undefined {
  const authorization = headers.get('Authorization');
  if (!authorization) return gatewayError('MISSING_CREDENTIALS');
  const isKnown =
    /^Bearer +\S/i.test(authorization) || authorization.startsWith(`${SIGNATURE.algorithm} `);
  return isKnown ? undefined : gatewayError('INVALID_CREDENTIALS');
}

/**
 * Creates an error response from the gateway itself, with the status, message, `Retry-After` and request ID
 * that belong to its code (D6).
 *
 * @example
 * server.use(berth.service('hello').get('greet', () => gatewayError('SERVICE_NOT_READY')));
 */
export function gatewayError(...[code, options]: ErrorArguments<typeof GATEWAY_ERRORS>): Response {
  const { status, message, requestId, headers } = toError(GATEWAY_ERRORS, code, options);
  const response = HttpResponse.json({ code, message, requestId }, { status, headers });
  refusals.add(response);
  return response;
}

function toGatewayResponse(
  result: ServiceResponse,
  { method }: Request,
  { profile }: MswContext,
): Response | undefined {
  if (result === undefined) return undefined;
  const response = toResponse(result);
  if (isMswMarker(response)) return response;
  const headers = new Headers(response.headers);
  if (!refusals.has(response)) {
    // The request ID never comes from the hosted service (D9).
    headers.set('X-Request-Id', crypto.randomUUID());
    headers.set(profile.gatewayHeaders.upstreamStatus, String(response.status));
  }
  setDisposition(headers, method);
  const { status, statusText } = response;
  const body = method === 'HEAD' ? null : response.body;
  return allowAnyOrigin(new HttpResponse(body, { status, statusText, headers }));
}

function toResponse(result: Exclude<ServiceResponse, undefined>): Response {
  if (result instanceof Response) return result;
  return typeof result === 'string' ? HttpResponse.text(result) : HttpResponse.json(result);
}

/**
 * Applies rules C1 to C3. A service's own `attachment; filename=…` is kept, and any other disposition
 * replaced. A missing Content-Type counts as not text. Event streams are exempt, whatever the request
 * accepts (D8).
 */
function setDisposition(headers: Headers, method: string): void {
  const type = headers.get('Content-Type')?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  const own = headers.get('Content-Disposition') ?? '';
  headers.delete('Content-Disposition');
  if (type === TYPE) return;
  if (method === 'POST' && TEXT_TYPES.includes(type)) return;
  const isAttachment = /^attachment *(;|$)/i.test(own);
  headers.set('Content-Disposition', isAttachment ? own : 'attachment');
}

/** Sends the events in a list after the last one that the client received, or 204 if there are none left. */
function toListStream(events: readonly ServiceEventInit[], { signal, headers }: Request): Response {
  const last = headers.get('Last-Event-ID');
  const numbered = events.map((event, index) => ({ id: String(index + 1), ...event }));
  const rest = numbered.slice(numbered.findIndex(({ id }) => id === last) + 1);
  if (rest.length === 0) return new HttpResponse(null, { status: 204 });
  // Clients in a test need not wait before they reconnect.
  return toEventStream(rest, signal, 'retry: 1\n\n');
}

function toText({ event, data, id }: ServiceEventInit): string {
  const text = typeof data === 'string' ? data : JSON.stringify(data);
  const lines = text.split(/\r\n|\r|\n/).map((line) => `data: ${line}\n`);
  return [event && `event: ${event}\n`, id && `id: ${id}\n`, ...lines, '\n'].join('');
}

/** Streams events as they are produced, until there are no more or the client aborts. */
function toEventStream(
  events: Iterable<ServiceEventInit> | AsyncIterable<ServiceEventInit>,
  signal: AbortSignal,
  first = '',
): Response {
  const encoder = new TextEncoder();
  const texts = (async function* () {
    if (first) yield first;
    for await (const event of events) yield toText(event);
  })();
  const stream = new ReadableStream({
    start(controller) {
      // MSW keeps a copy of the stream, so it never sees the reader's `cancel`.
      signal.addEventListener('abort', () => {
        controller.error(signal.reason);
        texts.return();
      });
    },
    async pull(controller) {
      const { done, value } = await texts.next();
      if (signal.aborted) return;
      if (done) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
    async cancel() {
      await texts.return();
    },
  });
  return new HttpResponse(stream, { headers: { 'Content-Type': TYPE } });
}
