import type { Readable } from 'node:stream';
import type { GatewayInput, ServiceResponse } from '@berth/server-stubs';
import { toResponse } from '@berth/server-stubs/contract';
import { isObject, parseJson } from '../util/values.ts';
import { prepareEvents } from './events.ts';
import type { EventsResponse, FixedResponse, Route, ServiceCall } from './fake-service.ts';
import {
  type MockedResponse,
  type RouteContext,
  type RouteHandler,
  ServiceRefusal,
  toMessageResponse,
} from './services.ts';

/** Creates the handler for a route, and prepares everything that its calls share. */
export function prepareRoute(route: Route): RouteHandler {
  const respond: RouteHandler =
    typeof route === 'function'
      ? async (context) => prepareResponse(await route(toServiceCall(context)))(context)
      : prepareResponse(route);
  return (context) => {
    try {
      const given = respond(context);
      return given instanceof Promise ? given.catch((error) => toFailure(error, context)) : given;
    } catch (error) {
      return toFailure(error, context);
    }
  };
}

/**
 * Responds to a call whose route failed. Rethrows gateway errors, which a function may throw, and any error
 * after the caller has disconnected. Any other error is reported, and becomes an error response from the
 * service.
 */
export function toFailure(error: unknown, { input, call, report }: RouteContext): MockedResponse {
  if (isObject(error) && toResponse in error) throw error;
  if (input.body?.errored || call.response.destroyed) throw error;
  if (error instanceof ServiceRefusal) return toMessageResponse(error.status, error.message);
  report(error);
  return toMessageResponse(
    500,
    `The route failed: ${error instanceof Error ? error.message : String(error)}`,
  );
}

export function toServiceCall({ input, call, params, memory }: RouteContext): ServiceCall {
  const { method, anyPath, target, rawQuery, body } = input;
  return {
    // D11: HEAD is GET without a body.
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

/** @throws ServiceRefusal 400 or 413 */
async function readJson(body: Readable | undefined): Promise<unknown> {
  const value = parseJson((await readBytes(body)).toString());
  if (value === undefined) throw new ServiceRefusal(400, 'The body is not valid JSON.');
  return value;
}

/** Maximum size of a body that is read into memory. */
const MAX_TEXT_BYTES = 1024 * 1024;

/**
 * Reads a complete body, up to a limit.
 *
 * @throws ServiceRefusal 413
 */
export async function readBytes(
  body: Readable | undefined,
  limit = MAX_TEXT_BYTES,
): Promise<Buffer> {
  if (body === undefined) return Buffer.alloc(0);
  const chunks: Buffer[] = [];
  let size = 0;
  // Three times as fast as an iterator.
  await new Promise<void>((resolve, reject) => {
    const take = (chunk: Buffer) => {
      size += chunk.length;
      chunks.push(chunk);
      if (size <= limit) return;
      // Destroying the body would also close the connection before the response.
      body.off('data', take).pause();
      const hint = limit === MAX_TEXT_BYTES ? ': read the call.body stream instead' : '';
      reject(new ServiceRefusal(413, `The body exceeds ${limit} bytes${hint}.`));
    };
    const end = () => {
      if (body.readableEnded) resolve();
      else reject(body.errored ?? new Error('The body is incomplete.'));
    };
    if (body.closed) end();
    else body.on('data', take).on('end', resolve).on('error', reject).on('close', end);
  });
  const [first] = chunks;
  return chunks.length === 1 ? (first as Buffer) : Buffer.concat(chunks, size);
}

export function toServiceHeaders({ headers }: GatewayInput): Record<string, string | string[]> {
  const kept: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(headers)) {
    // Headers meant for the mock are not forwarded to the service.
    if (!name.startsWith('x-mock-')) kept[name] = value;
  }
  return kept;
}

/**
 * Creates a handler that sends a given response.
 *
 * @throws TypeError if the value is not a response
 */
export function prepareResponse(response: unknown): RouteHandler {
  if (!isObject(response)) {
    const got = response === null ? 'null' : typeof response;
    throw new TypeError(`the function returned ${got}: return a response, such as { json: … }.`);
  }
  if ('webSocket' in response) {
    throw new TypeError('a webSocket function needs a route with the method WS.');
  }
  if ('body' in response) return (_: RouteContext) => response as unknown as ServiceResponse;
  if ('events' in response) return prepareEvents(response as unknown as EventsResponse);
  const fixed = toResponseOf(response as FixedResponse);
  return () => fixed;
}

function toResponseOf({ status = 200, headers: own = {}, json, text }: FixedResponse) {
  const headers: Record<string, string> = {};
  if (json !== undefined) headers['content-type'] = 'application/json';
  else if (text !== undefined) headers['content-type'] = 'text/plain; charset=utf-8';
  for (const [name, value] of Object.entries(own)) headers[name.toLowerCase()] = String(value);
  const body = json === undefined ? text : JSON.stringify(json);
  return body === undefined ? { status, headers } : { status, headers, body };
}
