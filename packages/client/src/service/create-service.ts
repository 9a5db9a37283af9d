import type { paths } from '../generated/gateway.v1.gen.ts';
import { toGatewayError } from '../internal/gateway-errors.ts';
import { assertText } from '../internal/options.ts';
import type { HeaderRecord, Pipeline, PipelineCall } from '../internal/pipeline.ts';
import { toBody } from '../internal/to-body.ts';
import { toSegment } from '../internal/urls.ts';
import { connectSocket } from './connect-socket.ts';
import { readPayload } from './read-payload.ts';
import type {
  EventsOptions,
  OpenWebSocket,
  PayloadOptions,
  RequestOptions,
  SendToService,
  Service,
} from './service.ts';
import { streamEvents } from './stream-events.ts';

const ROOT = '/v1/cloudrun/{name}' satisfies keyof paths;

/**
 * Returns the URL of a hosted service.
 *
 * @throws TypeError if the name is not valid as a path segment
 */
export function toServiceUrl(baseUrl: string, name: string): string {
  return baseUrl + ROOT.replace('{name}', toSegment('name', name));
}

export function createService(
  pipeline: Pipeline,
  { name, baseUrl, headers }: { name: string; baseUrl: string; headers: HeaderRecord },
  open: OpenWebSocket | undefined,
): Service<never> {
  const toCall = (path: string, options: RequestOptions) => {
    return toServiceCall(toServiceUrl(baseUrl, name), headers, path, options);
  };
  const send: SendToService = async (path, options, finish) =>
    pipeline.send(toCall(path, options), finish);
  const read = <T>(path: string, options: PayloadOptions<T> & RequestOptions) =>
    send(path, options, (response) => readPayload(response, options.schema));
  return {
    get: (path = '', options = {}) => read(path, options),
    post: (path = '', body, options = {}) => read(path, { ...options, method: 'POST', body }),
    request: (path = '', options = {}) =>
      send(path, options, (response) => {
        // Nothing in it can be read, not even the status.
        if (response.type === 'opaqueredirect') throw toGatewayError({ response });
        return response;
      }),
    events: <Data>(path = '', options: EventsOptions<Data> = {}) =>
      streamEvents(pipeline, send, path, options),
    async connect(path = '', options = {}) {
      return connectSocket(pipeline, toCall(path, options), options, open);
    },
  };
}

/**
 * Builds a call to a service path.
 *
 * @param root service URL
 * @param common headers to send with every call
 */
function toServiceCall(
  root: string,
  common: HeaderRecord,
  path: string,
  options: RequestOptions,
): PipelineCall {
  const { headers: own, method = 'GET', body: value } = options;
  assertText('path', path);
  const rest = toSegment('path', path.startsWith('/') ? path : `/${path}`, true);
  const { body, type } = toBody(value);
  const headers: Record<string, string> = { ...common };
  if (type) headers['content-type'] ??= type;
  if (own) Object.assign(headers, Object.fromEntries(new Headers(own)));
  const init = options.redirect && { redirect: options.redirect };
  const url = rest === '/' ? root : root + rest;
  return { ...options, method, url, headers, body, init };
}
