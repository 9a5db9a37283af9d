import type { Call } from '@berth/server-stubs';
import {
  createCors,
  HttpError,
  hasResponse,
  toContractError,
  toResponse,
  toWireForm,
} from '@berth/server-stubs/contract';
import type { HandlerResponse } from '@berth/server-stubs/runtime';
import type { WireProfile } from '@berth/spec/wire-profile';
import { type HttpHandler, http } from 'msw';
import { type SurfaceName, toRefusal } from '../contract/surface.ts';
import { applyFaults } from '../faults/fault-kinds.ts';
import type { FaultRules, FaultSubject } from '../faults/fault-rules.ts';

/** What the surfaces share. */
export interface MswContext {
  readonly profile: WireProfile;
  readonly faults: FaultRules;
}

export interface Surface {
  readonly name: SurfaceName;
  /** Start of each URL, without a trailing slash. */
  readonly baseUrl: string;
  /** Matches the path after the base URL. */
  readonly path: string;
  /** Identifies a call for faults. */
  readonly subject?: (call: Call) => Omit<FaultSubject, 'surface'>;
  /**
   * @param own the headers of every response
   * @throws errors of the contract, and HttpError
   */
  readonly respond: (
    call: Call,
    request: Request,
    own: Readonly<Record<string, string>>,
  ) => Promise<HandlerResponse | Response>;
}

/** Creates the handler of a surface: preflights, faults, errors, and headers. */
export function handleSurface(surface: Surface, { profile, faults }: MswContext): HttpHandler {
  const { name, baseUrl, path, respond } = surface;
  const cors = createCors(name, profile);
  const errors = name === 'link' ? 'upload' : name;

  async function answer(request: Request): Promise<Response> {
    const call = toCall(request, baseUrl);
    const own = { ...cors.response(originOf(request)), 'x-request-id': call.requestId };
    const finish = (result: HandlerResponse | Response, last = {}) =>
      result instanceof Response ? result : toFetchResponse(result, own, last, request, profile);
    // D11: OPTIONS is the CORS preflight (204), even for unknown paths.
    if (request.method === 'OPTIONS') {
      return finish({ status: 204, headers: cors.preflight(call.request.headers) });
    }
    try {
      const subject = { operationId: undefined, service: undefined, ...surface.subject?.(call) };
      const due = faults.take({ surface: name, ...subject });
      let ended: Response | undefined;
      let maxBytes = Infinity;
      const isOver = await applyFaults(due, {
        signal: request.signal,
        fail(code) {
          ended = finish(toRefusal(name, code)[toResponse](call));
        },
        reset() {
          ended = Response.error();
        },
        truncate(bytes) {
          maxBytes = Math.min(maxBytes, bytes);
        },
      });
      const response = isOver
        ? (ended ?? Response.error())
        : finish(await respond(call, request, own));
      return maxBytes < Infinity ? cut(response, maxBytes) : response;
    } catch (error) {
      const isRejected = error instanceof HttpError;
      const known = isRejected ? toContractError(errors, error) : error;
      if (!hasResponse(known)) report(error);
      const refusal = hasResponse(known) ? known : toRefusal(name, FAILED[errors]);
      return finish(refusal[toResponse](call), isRejected ? error.headers : {});
    }
  }

  const address = new RegExp(`^${escapePattern(baseUrl)}${path}$`);
  const handler = http.all(address, ({ request }) => answer(request));
  const log = handler.log.bind(handler);
  return Object.assign(handler, {
    // In pages, MSW logs complete responses, and would wait until the events end.
    log: (details: Parameters<typeof log>[0]) =>
      isEventStream(details.response) ? details.response.body?.cancel() : log(details),
  });
}

/** Shows a bug in a service or in these handlers, which otherwise only its response would. */
export function report(error: unknown): void {
  // biome-ignore lint/suspicious/noConsole: in a page, there is no other place
  console.error(error);
}

/** The code for a bug in these handlers. */
const FAILED = { gateway: 'SYS_ERR', storage: 'SYS_ERR', upload: 'InternalError' };

export function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}

function isEventStream({ headers }: Response): boolean {
  return headers.get('content-type')?.startsWith('text/event-stream') === true;
}

function originOf({ headers }: Request): string | undefined {
  return headers.get('origin') ?? undefined;
}

/** Returns the parts of a call that rules and errors read. It has no response to write to. */
function toCall(request: Request, baseUrl: string): Call {
  const { method, signal } = request;
  const url = request.url.slice(baseUrl.length).replace(/#.*/, '');
  const [rawPath = '/', ...query] = url.split('?');
  return {
    request: { method, url, headers: Object.fromEntries(request.headers) },
    requestId: crypto.randomUUID(),
    rawPath,
    rawQuery: query.length > 0 ? query.join('?') : undefined,
    signal,
  } as unknown as Call;
}

function toFetchResponse(
  { status, headers: given = {}, body }: HandlerResponse,
  own: Readonly<Record<string, string>>,
  last: Readonly<Record<string, string>>,
  { method, signal }: Request,
  profile: WireProfile,
): Response {
  const headers = new Headers({ ...last, ...own });
  for (const [name, value] of Object.entries(given)) {
    if (value !== undefined) headers.set(name, String(value));
  }
  const hasNone = body === undefined || body === null || status === 204 || status === 304;
  if (hasNone) return new Response(null, { status, headers });
  const isRaw = typeof body === 'string' || body instanceof Uint8Array;
  if (!isRaw && !(body instanceof ReadableStream)) {
    headers.set('content-type', 'application/json');
    const text = JSON.stringify(toWireForm(body, profile));
    return new Response(method === 'HEAD' ? null : text, { status, headers });
  }
  if (method === 'HEAD') return new Response(null, { status, headers });
  const content = isRaw ? body : endOnAbort(body, signal);
  return new Response(content as ConstructorParameters<typeof Response>[0], { status, headers });
}

/** MSW reads a copy of the body, so its source never sees that the caller has left. */
function endOnAbort(
  body: ReadableStream<Uint8Array>,
  signal: AbortSignal,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream({
    start(controller) {
      const end = () => {
        controller.error(signal.reason);
        void reader.cancel(signal.reason).catch(() => {});
      };
      signal.addEventListener('abort', end, { once: true });
    },
    async pull(controller) {
      const { done, value } = await reader.read();
      if (signal.aborted) return;
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

/** Breaks the connection after a number of bytes of the body. */
function cut(response: Response, bytes: number): Response {
  let left = bytes;
  const { status, headers } = response;
  const transform = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      controller.enqueue(chunk.subarray(0, left));
      left -= chunk.length;
      if (left < 0) controller.error(new TypeError('The connection was closed.'));
    },
  });
  return new Response(response.body?.pipeThrough(transform) ?? null, { status, headers });
}
