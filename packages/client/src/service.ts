import { type StandardSchema, toBody, toPayload } from './body.ts';
import type { ServiceOptions } from './call-options.ts';
import type { CallInit } from './calls.ts';
import { checkText } from './checks.ts';
import type { GatewayContext } from './context.ts';
import type { EventsOptions, ServiceEvent } from './events.ts';
import { toRecord } from './fetch.ts';
import type { paths } from './generated/gateway.v1.gen.ts';
import type { ConnectOptions } from './socket.ts';
import { closeOnFailure } from './streams.ts';
import { checkPath } from './urls.ts';

/** Options for a call that returns the payload. */
export interface PayloadOptions<Payload> extends ServiceOptions {
  /** Validates the payload of a successful response, and gives it its type. Default: none. */
  readonly schema?: StandardSchema<Payload> | undefined;
}

/** Options for a call that returns the raw response. */
export interface RequestOptions extends ServiceOptions {
  /** HTTP method. Default: `GET`. */
  readonly method?: 'GET' | 'POST' | 'HEAD' | undefined;
  /** The body, as `post` takes it. */
  readonly body?: unknown;
}

/**
 * A hosted service. A `path` is everything after the name of the service, with its query. It is sent unchanged, except
 * that `fetch` percent-encodes spaces, quotes and other characters that URLs do not contain. A leading `/` makes no
 * difference.
 *
 * `get`, `post`, `events` and `connect` throw a `BerthError` if the call fails: `gateway` or `service` for an error
 * status, `network`, `timeout`, `contract`, or `options` for an argument that cannot be sent.
 */
export interface Service {
  /** URL of the service, for other libraries: pass it together with `gateway.fetch`. */
  readonly url: string;
  /**
   * Gets a path and returns the payload: JSON parsed, `undefined` for an empty body, text for everything else.
   *
   * @example
   * const user = await users.get<User>('7?full=true');
   * const checked = await users.get('7', { schema: UserSchema });
   */
  get<Payload = unknown>(path?: string, options?: PayloadOptions<Payload>): Promise<Payload>;
  /**
   * Posts to a path and returns the payload, like `get`. Strings, bytes, blobs, forms and streams are sent as is,
   * everything else as JSON. A POST is retried only if it was certainly not executed, or if it is `idempotent`; a
   * stream never.
   *
   * @example
   * const order = await orders.post<Order>('', { item: 3 });
   */
  post<Payload = unknown>(
    path?: string,
    body?: unknown,
    options?: PayloadOptions<Payload>,
  ): Promise<Payload>;
  /**
   * Returns the raw response, whatever its status, before its body is read. Only `network`, `timeout` and `options` are
   * thrown. In browsers, a redirect has the status 0.
   *
   * @example
   * const response = await reports.request('7.pdf', { headers: { Range: 'bytes=0-99' } });
   */
  request(path?: string, options?: RequestOptions): Promise<Response>;
  /**
   * Iterates over server-sent events (WHATWG HTML, section 9.2). When the connection ends or is interrupted, the client
   * waits and continues after the last event. The iteration ends when you leave it, when `signal` aborts, or when the
   * service returns 204.
   *
   * @example
   * for await (const { event, data } of news.events('live', { signal })) show(event, data);
   */
  events(path?: string, options?: EventsOptions): AsyncGenerator<ServiceEvent, void, undefined>;
  /**
   * Opens a WebSocket (RFC 6455) and resolves with the platform's own, once it is open. Browsers cannot send
   * headers: there, a bearer token is sent as the subprotocol `berth.bearer.<token>`, and other credentials cannot be
   * sent. Platforms hide why a handshake failed, so the client sends a GET to the same path to find out.
   *
   * @example
   * const socket = await chat.connect('room/7', { protocols: ['chat'], signal });
   * socket.addEventListener('message', ({ data }) => show(data));
   */
  connect(path?: string, options?: ConnectOptions): Promise<WebSocket>;
}

/** Path of a service in the contract. */
export const SERVICE_PATH = '/v1/cloudrun/{name}' satisfies keyof paths;

export function createService(context: GatewayContext, name: string, url: string): Service {
  const toAnyPath = (path = '') => {
    checkText('path', path);
    return checkPath('path', path.replace(/^\//, ''));
  };

  const toUrl = (path?: string) => {
    const anyPath = toAnyPath(path);
    return anyPath ? `${url}/${anyPath}` : url;
  };

  /** Headers of the client are added here, and not only by the sender: they replace the media type of the body. */
  const toBodyAndHeaders = (value: unknown, callHeaders: RequestInit['headers']) => {
    const { body, headers } = toBody(value);
    return { body, headers: { ...headers, ...context.sender.headers, ...toRecord(callHeaders) } };
  };

  const fetchPayload = async <Payload>(
    method: 'GET' | 'POST',
    path: string | undefined,
    value: unknown,
    { schema, headers, ...options }: PayloadOptions<Payload> = {},
  ) => {
    const anyPath = toAnyPath(path);
    // With the contract's path, which middleware of the gateway sees.
    const template = anyPath ? `${SERVICE_PATH}/{anyPath}` : SERVICE_PATH;
    const sent = toBodyAndHeaders(value, headers);
    const init: CallInit = {
      ...options,
      ...sent,
      params: { path: { name, anyPath } },
      // `null` removes the media type that `openapi-fetch` would set.
      headers: { 'content-type': null, ...sent.headers },
      bodySerializer: (body) => body,
      parseAs: 'text',
    };
    return context.call(method, template, init, async ({ data, error, response }, info) => {
      if (!response.ok) throw await context.toGatewayError(response, info, error);
      return toPayload(response, data as string | undefined, info, schema);
    });
  };

  return {
    url,
    get: (path, options) => fetchPayload('GET', path, undefined, options),
    post: (path, value, options) =>
      closeOnFailure(value, () => fetchPayload('POST', path, value, options)),
    request: (path, { body: value, headers, ...init } = {}) =>
      closeOnFailure(value, async () =>
        context.fetch(toUrl(path), { ...init, ...toBodyAndHeaders(value, headers) }),
      ),
    // Loaded on first use, because most pages need neither.
    async *events(path, options = {}) {
      const { iterateEvents } = await import('./events.ts');
      yield* iterateEvents(context, toUrl(path), options);
    },
    async connect(path, options = {}) {
      const { connectSocket } = await import('./socket.ts');
      return connectSocket(context, toUrl(path), options);
    },
  };
}
