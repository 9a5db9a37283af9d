import type { ServiceCall } from '../fake-service.ts';
import { readBytes, readJson } from './read-text.ts';
import type { RouteContext } from './route-context.ts';
import { toServiceHeaders } from './to-service-headers.ts';

/** What a function of a route gets of a call. */
export function toServiceCall({ input, call, params, memory }: RouteContext): ServiceCall {
  const { method, anyPath, target, rawQuery, body } = input;
  return {
    // D11: "HEAD is GET without body".
    method: method === 'HEAD' ? 'GET' : method,
    path: `/${anyPath}`,
    target,
    params,
    query: new URLSearchParams(rawQuery),
    headers: toServiceHeaders(input),
    body,
    json: () => readJson(body),
    text: async () => (await readBytes(body)).toString(),
    requestId: call.requestId,
    get signal() {
      return call.signal;
    },
    get state() {
      return memory();
    },
  };
}
