import type { paths } from '../generated/gateway.v1.gen.ts';
import { type RememberedCall, rememberCall } from '../internal/calls.ts';
import type { HeaderRecord, Pipeline } from '../internal/pipeline/pipeline-call.ts';
import { toSegment } from '../internal/to-segment.ts';
import { toGatewayError } from '../to-gateway-error.ts';
import { readPayload } from './read-payload.ts';
import type {
  EventsOptions,
  OpenWebSocket,
  PayloadOptions,
  RequestOptions,
  Service,
} from './service.ts';
import { SHARED } from './shared.ts';
import { toServiceCall } from './to-service-call.ts';

const ROOT = '/v1/cloudrun/{name}' satisfies keyof paths;

/** Sends one call and reads its answer with `finish`. */
export type SendToService = <T>(
  path: string,
  options: RequestOptions,
  finish: (response: Response, call: RememberedCall) => T | Promise<T>,
) => Promise<T>;

/** The calls to one service. What few use is loaded when it is used. */
export function createService(
  pipeline: Pipeline,
  { name, baseUrl, headers }: { name: string; baseUrl: string; headers: HeaderRecord },
  open: OpenWebSocket | undefined,
): Service<never> {
  let root = '';
  const toCall = (path: string, options: RequestOptions) => {
    root ||= baseUrl + ROOT.replace('{name}', toSegment('name', name));
    return toServiceCall(root, headers, path, options);
  };
  const send: SendToService = async (path, options, finish) =>
    pipeline.send(toCall(path, options), finish);
  const read = <T>(path: string, options: PayloadOptions<T> & RequestOptions) =>
    send(path, options, (response, call) => readPayload(response, call, options.schema));
  return {
    get: (path = '', options = {}) => read(path, options),
    post: (path = '', body, options = {}) => read(path, { ...options, method: 'POST', body }),
    request: (path = '', options = {}) =>
      send(path, options, (response, call) => {
        rememberCall(response, call);
        // Nothing of it can be read, not even its status.
        if (response.type === 'opaqueredirect') throw toGatewayError({ response });
        return response;
      }),
    async *events<Data>(path = '', options: EventsOptions<Data> = {}) {
      const { streamEvents } = await import('./stream-events.ts');
      yield* streamEvents({ ...SHARED, readPayload }, pipeline, send, path, options);
    },
    async connect(path = '', options = {}) {
      const { connectSocket } = await import('./connect-socket.ts');
      const shared = { ...SHARED, readPayload };
      return connectSocket(shared, pipeline, toCall(path, options), options, open);
    },
  };
}
