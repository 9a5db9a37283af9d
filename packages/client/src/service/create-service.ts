import type { ParseAs } from 'openapi-fetch';
import type { CallOptions } from '../call-options.ts';
import type { components, paths } from '../generated/gateway.v1.gen.ts';
import { readPayload } from '../internal/check-payload.ts';
import { toGatewayError } from '../internal/gateway-errors.ts';
import { assertText } from '../internal/options.ts';
import type { HeaderRecord, Pipeline, PipelineCall } from '../internal/pipeline.ts';
import {
  type CallInit,
  type CallResult,
  createRawCalls,
  type PathWith,
} from '../internal/raw-calls.ts';
import { toBody } from '../internal/to-body.ts';
import { toSegment } from '../internal/urls.ts';
import { connectSocket } from './connect-socket.ts';
import type {
  ConnectOptions,
  EventsOptions,
  PayloadOptions,
  RequestOptions,
  SendToService,
  Service,
} from './service.ts';
import { streamEvents } from './stream-events.ts';

/**
 * A hosted service that has its own OpenAPI document. It has the methods of {@link Service}, and methods
 * typed by the document. The gateway forwards GET, HEAD and POST (D2), so operations with other methods are
 * not available. The document's `servers` are ignored; its paths follow the service name.
 *
 * Calls reject with a `NetworkError`, a `TimeoutError`, a `ContractError`, or the `signal`'s reason. The
 * methods of {@link Service} also reject with a `GatewayError`.
 *
 * @example
 * const orders = gateway.service('orders');
 * const { data } = await orders.GET('/items/{id}', { params: { path: { id: 42 } } });
 */
export interface DocumentedService<Paths> extends Service {
  /**
   * Sends a GET request, typed by the service's document. An error status does not throw; the result
   * then has an `error`, either from the service or from the gateway.
   *
   * @throws TypeError if a path parameter is missing, or if `fetch` would rewrite the path (D3)
   *
   * @example
   * const { data, error } = await orders.GET('/items', { params: { query: { limit: 10 } } });
   * if (error) throw toGatewayError({ error, response });
   */
  GET<Path extends PathWith<Paths, 'get'>, As extends ParseAs = 'json'>(
    path: Path,
    ...init: Optional<Init<MethodOf<Paths, Path, 'get'>, As>>
  ): Promise<ServiceResult<MethodOf<Paths, Path, 'get'>, As>>;
  /**
   * Sends a POST request, typed by the service's document. Results and errors are as for `GET`. It is
   * retried only if it was certainly not executed, or with `idempotent: true`.
   *
   * @example
   * const { data } = await orders.POST('/items', { body: { name: 'Anchor' } });
   */
  POST<Path extends PathWith<Paths, 'post'>, As extends ParseAs = 'json'>(
    path: Path,
    ...init: Optional<Init<MethodOf<Paths, Path, 'post'>, As>>
  ): Promise<ServiceResult<MethodOf<Paths, Path, 'post'>, As>>;
}

type MethodOf<Paths, Path extends keyof Paths, Method extends string> =
  Paths[Path] extends Record<Method, infer Operation extends object> ? Operation : never;

/** Options for one raw call. */
export type Init<Operation, As> = Omit<CallInit<Operation, As>, 'fetch' | 'Request'> &
  Omit<CallOptions, 'signal'>;

/** An argument that is optional if nothing in it is required. */
type Optional<Value> = Record<never, never> extends Value ? [init?: Value] : [init: Value];

/** The result of a call to a hosted service, to which the service or the gateway responded. */
type ServiceResult<Operation extends object, As extends ParseAs> =
  | CallResult<Operation, As>
  | { data?: never; error: components['schemas']['GatewayError']; response: Response };

const ROOT = '/v1/cloudrun/{name}' satisfies keyof paths;

interface ServiceAddress {
  readonly name: string;
  readonly baseUrl: string;
  readonly headers: HeaderRecord;
  readonly redirect: NonNullable<RequestInit['redirect']>;
}

/**
 * Creates the methods of a service. They are the same with and without a document, apart from their types.
 */
export function createService(
  pipeline: Pipeline,
  address: ServiceAddress,
): DocumentedService<never> {
  // Built for each call, which rejects if the name is invalid.
  const toRoot = () => address.baseUrl + ROOT.replace('{name}', toSegment('name', address.name));
  const toCall = (path: string, options: RequestOptions): PipelineCall => {
    const { headers: own, method = 'GET', body: value } = options;
    assertText('path', path);
    const rest = toSegment('path', path.startsWith('/') ? path : `/${path}`, true);
    const { body, type } = toBody(value);
    const headers: Record<string, string> = { ...address.headers };
    if (type) headers['content-type'] ??= type;
    if (own) Object.assign(headers, Object.fromEntries(new Headers(own)));
    const url = rest === '/' ? toRoot() : toRoot() + rest;
    return { ...options, method, url, headers, body };
  };
  const send: SendToService = async (path, options, finish) =>
    pipeline.send(toCall(path, options), finish);
  const read = <T>(path: string, options: PayloadOptions<T> & RequestOptions) =>
    send(path, options, (response) => readPayload(response, options.schema));
  const events = <Data>(path = '', options: EventsOptions<Data> = {}) =>
    streamEvents(pipeline, send, path, options);

  const { call: sendRaw } = createRawCalls(pipeline, {
    ...address,
    get baseUrl() {
      return toRoot();
    },
    isService: true,
  });
  return {
    get: (path = '', options = {}) => read(path, options),
    post: (path = '', body: unknown, options = {}) =>
      read(path, { ...options, method: 'POST', body }),
    request: (path = '', options = {}) =>
      send(path, options, (response) => {
        // Nothing in it can be read, not even the status.
        if (response.type === 'opaqueredirect') throw toGatewayError({ response });
        return response;
      }),
    events,
    async connect(path = '', options: ConnectOptions = {}) {
      return connectSocket(pipeline, toCall(path, options), options);
    },
    GET: sendRaw('GET'),
    POST: sendRaw('POST'),
  } as DocumentedService<never>;
}
