import type { Call } from '@berth/server-stubs';
import {
  createCors,
  HttpError,
  hasResponse,
  MERGED_HEADERS,
  splitTarget,
  toResponse,
  toWireForm,
} from '@berth/server-stubs/contract';
import type { HandlerResponse } from '@berth/server-stubs/runtime';
import type { WireProfile } from '@berth/spec/wire-profile';
import { type HttpHandler, http } from 'msw';
import { type SurfaceName, toChallenge, toSurfaceError } from '../surface.ts';

/** The deployment that the handlers replace. */
export interface Deployment {
  readonly baseUrl: string;
  readonly profile: WireProfile;
}

/**
 * Creates the handler of a surface, which adds preflights, errors and headers to what `respond` returns.
 *
 * @param path regular expression for the path after the base URL
 */
export function handleSurface(
  name: SurfaceName,
  path: string,
  { baseUrl, profile }: Deployment,
  respond: (call: Call, request: Request) => Promise<HandlerResponse | Response>,
): HttpHandler {
  const cors = createCors(name, profile);

  async function handle(request: Request): Promise<Response> {
    const call = toCall(request, baseUrl);
    const origin = request.headers.get('origin') ?? undefined;
    const commonHeaders = { ...cors.response(origin), 'x-request-id': call.requestId };
    const send = (response: HandlerResponse) =>
      toFetchResponse(response, commonHeaders, request, profile);
    // D11: OPTIONS is the CORS preflight (204), even for unknown paths.
    if (request.method === 'OPTIONS') {
      return send({ status: 204, headers: cors.preflight(call.request.headers) });
    }
    try {
      const response = await respond(call, request);
      return response instanceof Response ? response : send(response);
    } catch (error) {
      const response = toErrorResponse(error, name, call);
      const challenge = toChallenge(name, response.status, profile);
      return send({ ...response, headers: { ...challenge, ...response.headers } });
    }
  }

  const address = new RegExp(`^${escapePattern(baseUrl)}${path}$`);
  return http.all(address, ({ request }) => handle(request));
}

/** Shows a bug in a service or in these handlers. If the caller has aborted the call, the error is not a bug. */
export function report(error: unknown, call?: Call): void {
  if (call?.signal.aborted) return;
  // biome-ignore lint/suspicious/noConsole: in a page, there is no other place
  console.error(error);
}

export function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}

function toCall(request: Request, baseUrl: string): Call {
  const { method, signal } = request;
  const url = request.url.slice(baseUrl.length).replace(/#.*/, '');
  const { path: rawPath, query: rawQuery } = splitTarget(url);
  return {
    request: { method, url, headers: Object.fromEntries(request.headers) },
    requestId: crypto.randomUUID(),
    rawPath,
    rawQuery,
    signal,
  } as unknown as Call;
}

function toErrorResponse(error: unknown, name: SurfaceName, call: Call): HandlerResponse {
  if (error instanceof HttpError) return toSurfaceError(name, error)[toResponse](call);
  if (hasResponse(error)) return error[toResponse](call);
  report(error, call);
  return toSurfaceError(name, new HttpError('handler-failed', ''))[toResponse](call);
}

/** @param commonHeaders those of every response on the surface */
function toFetchResponse(
  { status, headers: added = {}, body }: HandlerResponse,
  commonHeaders: Readonly<Record<string, string>>,
  { method, signal }: Request,
  profile: WireProfile,
): Response {
  const headers = new Headers(commonHeaders);
  for (const [name, value] of Object.entries(added)) {
    if (value === undefined) continue;
    if (!MERGED_HEADERS.has(name.toLowerCase())) headers.delete(name);
    for (const line of [value].flat()) headers.append(name, String(line));
  }
  const isBytes = typeof body === 'string' || ArrayBuffer.isView(body);
  const isJson = Boolean(body) && !isBytes && !(body instanceof ReadableStream);
  if (isJson) headers.set('content-type', 'application/json');
  if (body === undefined || method === 'HEAD' || status === 204 || status === 304) {
    // The body is not sent.
    if (body instanceof ReadableStream) body.cancel().catch(report);
    return new Response(null, { status, headers });
  }
  let content = isJson ? JSON.stringify(toWireForm(body, profile)) : body;
  if (content instanceof ReadableStream) {
    // MSW reads a copy of a stream, whose source would never see that the caller has disconnected.
    content = content.pipeThrough(new TransformStream(), { signal });
  }
  return new Response(content as ConstructorParameters<typeof Response>[0], { status, headers });
}
