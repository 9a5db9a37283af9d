import type { Call } from '@berth/server-stubs';
import {
  createCors,
  HttpError,
  hasResponse,
  splitTarget,
  toContractError,
  toResponse,
} from '@berth/server-stubs/contract';
import type { HandlerResponse } from '@berth/server-stubs/runtime';
import type { WireProfile } from '@berth/spec/wire-profile';
import { type HttpHandler, http } from 'msw';
import { applyFaults, type FaultedCall } from '../faults/fault-kinds.ts';
import { FAULT_HEADER, type FaultRules, type FaultSubject } from '../faults/fault-rules.ts';
import { type SurfaceName, surfaceErrorFor, toFetchResponse, toSurfaceError } from '../surface.ts';

/** One of gateway, storage API, upload target and links: what `handleSurface` does not do for all of them. */
export interface Surface {
  readonly name: SurfaceName;
  /** Regular expression for the path after the base URL. */
  readonly path: string;
  /** Identifies a call for faults. */
  identify?(call: Call): Omit<FaultSubject, 'surface'>;
  /**
   * @param common the headers of every response
   * @throws errors of the contract, and HttpError
   */
  respond(
    call: Call,
    request: Request,
    common: Readonly<Record<string, string>>,
  ): Promise<HandlerResponse | Response>;
}

/**
 * Creates the handler of a surface, which adds preflights, faults, errors and headers to it.
 *
 * @param baseUrl start of each URL, without a trailing slash
 */
export function handleSurface(
  surface: Surface,
  baseUrl: string,
  profile: WireProfile,
  rules: FaultRules,
): HttpHandler {
  const { name, path } = surface;
  const cors = createCors(name, profile);

  async function respond(request: Request): Promise<Response> {
    const call = toCall(request, baseUrl);
    const origin = request.headers.get('origin') ?? undefined;
    const common = { ...cors.response(origin), 'x-request-id': call.requestId };
    const send = (response: HandlerResponse) => toFetchResponse(response, common, request, profile);
    // D11: OPTIONS is the CORS preflight (204), even for unknown paths.
    if (request.method === 'OPTIONS') {
      return send({ status: 204, headers: cors.preflight(call.request.headers) });
    }
    let response = Response.error();
    let maxBytes = Infinity;
    const faulted: FaultedCall = {
      signal: request.signal,
      fail(code) {
        response = send(toSurfaceError(name, code)[toResponse](call));
      },
      // A response that is an error rejects the caller's `fetch`.
      reset() {},
      truncate(bytes) {
        maxBytes = Math.min(maxBytes, bytes);
      },
    };
    try {
      const header = request.headers.get(FAULT_HEADER) ?? undefined;
      const faults = rules.take({ surface: name, ...surface.identify?.(call) }, header);
      if (!(await applyFaults(faults, faulted))) {
        const result = await surface.respond(call, request, common);
        response = result instanceof Response ? result : send(result);
      }
    } catch (error) {
      response = send(toErrorResponse(error, name, call));
    }
    return truncate(response, maxBytes);
  }

  const address = new RegExp(`^${escapePattern(baseUrl)}${path}$`);
  return http.all(address, ({ request }) => respond(request));
}

/**
 * Shows a bug in a service or in these handlers, which otherwise only its response would.
 *
 * @param call if its caller aborts it, the error is no bug
 */
export function report(error: unknown, call?: Call): void {
  if (call?.signal.aborted) return;
  // biome-ignore lint/suspicious/noConsole: in a page, there is no other place
  console.error(error);
}

export function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}

/** Returns the parts of a call that the rules of the contract read: no object of Node.js, and no response. */
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
  if (error instanceof HttpError) {
    const known = toContractError(name === 'link' ? 'upload' : name, error)[toResponse](call);
    return { ...known, headers: { ...error.headers, ...known.headers } };
  }
  if (hasResponse(error)) return error[toResponse](call);
  report(error, call);
  return surfaceErrorFor('failed', name)[toResponse](call);
}

/** Fails after a number of bytes of the body. */
function truncate(response: Response, maxBytes: number): Response {
  const { status, headers, body } = response;
  if (body === null || maxBytes === Infinity) return response;
  let left = maxBytes;
  const cut = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      controller.enqueue(chunk.subarray(0, left));
      left -= chunk.length;
      if (left < 0) controller.error(new TypeError('The connection was closed.'));
    },
  });
  return new Response(body.pipeThrough(cut), { status, headers });
}
