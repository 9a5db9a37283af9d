import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { type Headers, type HeaderValue, headerOf, isUpgrade, mediaTypeOf } from './headers.ts';

/** C2: "Text types are those whose `Content-Type` indicates" one of these. */
const TEXT_TYPES = new Set(['application/json', 'application/x-www-form-urlencoded', 'text/plain']);
const EVENT_STREAM = 'text/event-stream';
const ATTACHMENT = 'attachment';

/** One disposition of type `attachment` with its parameters (RFC 6266, section 4.1). */
const OWN_ATTACHMENT =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it refuses
  /^attachment[ \t]*(?:;(?:[^",;\u0000-\u001F\u007F]|"(?:[^"\\\u0000-\u001F\u007F]|\\[^\u0000-\u001F\u007F])*")*)*$/i;

/**
 * The headers of a hosted service's answer, with the rules C1 to C3 applied to `Content-Disposition`.
 *
 * - C1: every answer to a GET (and to a HEAD) carries `attachment`.
 * - C2: every answer that is not `application/json`, `application/x-www-form-urlencoded` or `text/plain`
 *   carries it, whatever the method. A missing `Content-Type` counts as not text.
 * - C3: event streams and WebSocket upgrades carry none.
 *
 * A service's own `attachment; filename=…` is kept, any other disposition is replaced; where no rule
 * asks for one there is none (D8).
 *
 * @param request the request that is answered; only its method and headers are read
 * @param headers headers of the answer, names in any case
 * @returns a new object; the given one stays as it is
 *
 * @example
 * response.writeHead(200, applyDispositionRules(request, { 'Content-Type': 'text/html' }));
 */
export function applyDispositionRules(
  request: Pick<IncomingMessage, 'method' | 'headers'>,
  headers: Headers,
): Record<string, HeaderValue> {
  const kept: Record<string, HeaderValue> = {};
  const own: string[] = [];
  for (const [name, value] of Object.entries(headers)) {
    if (name.toLowerCase() !== 'content-disposition') kept[name] = value;
    else if (value !== undefined) own.push(...(Array.isArray(value) ? value : [String(value)]));
  }
  const disposition = toDisposition({
    method: request.method ?? 'GET',
    isUpgrade: isUpgrade(request.headers),
    contentType: headerOf(headers, 'content-type'),
    own,
  });
  if (disposition !== undefined) kept['content-disposition'] = disposition;
  return kept;
}

/** What the rules C1 to C3 depend on. */
interface DispositionFacts {
  /** Method of the request, in upper case. */
  readonly method: string;
  /** Whether the request is a WebSocket upgrade. */
  readonly isUpgrade: boolean;
  /** `Content-Type` of the answer. */
  readonly contentType: string | undefined;
  /** `Content-Disposition` lines which the hosted service sent. */
  readonly own: readonly string[];
}

/**
 * The one `Content-Disposition` that the rules C1 to C3 leave on an answer; undefined for none.
 *
 * D8: "exactly one header; a service's own `attachment; filename=…` is kept, any other type replaced".
 */
export function toDisposition(facts: DispositionFacts): string | undefined {
  if (!isAttachment(facts)) return undefined;
  return (
    facts.own.map((value) => value.trim()).find((value) => OWN_ATTACHMENT.test(value)) ?? ATTACHMENT
  );
}

function isAttachment({ method, isUpgrade, contentType }: DispositionFacts): boolean {
  // C3: "SSE and WebSocket requests are exempt from C1 and C2." No browser lets a page or a link set
  // `Upgrade`, so nobody can be led past C1 with it.
  if (isUpgrade) return false;
  // D8: "a missing Content-Type counts as not text".
  const type = mediaTypeOf(contentType ?? '');
  // D8: "an event stream is exempt whatever was accepted."
  if (type === EVENT_STREAM) return false;
  // C1: "For every GET response, the header `Content-Disposition: attachment` is added." D8: HEAD too.
  if (method === 'GET' || method === 'HEAD') return true;
  // C2: "For every response whose content is not a text type, the header … is added."
  return !TEXT_TYPES.has(type);
}

type Next = (error?: unknown) => void;

/** As `writeHead` takes them: by name, or names and values in turn. */
type GivenHeaders = OutgoingHttpHeaders | readonly string[];

/**
 * Middleware that holds every answer to the rules C1 to C3, for a proxy of your own in an Express app
 * or under `node:http`. Mount it before whatever answers. The routers of this package do it already.
 *
 * @see applyDispositionRules for the rules
 *
 * @example
 * app.use('/v1/cloudrun', dispositionRules(), myProxy);
 */
export function dispositionRules() {
  return (request: IncomingMessage, response: ServerResponse, next: Next): void => {
    const writeHead = response.writeHead;
    response.writeHead = (status: number, ...rest: unknown[]) => {
      const reason = typeof rest[0] === 'string' ? rest[0] : undefined;
      adopt(response, (reason === undefined ? rest[0] : rest[1]) as GivenHeaders | undefined);
      const headers = applyDispositionRules(request, response.getHeaders());
      const disposition = headers['content-disposition'];
      if (disposition === undefined) response.removeHeader('content-disposition');
      else response.setHeader('content-disposition', disposition);
      response.writeHead = writeHead;
      return reason === undefined ? response.writeHead(status) : response.writeHead(status, reason);
    };
    next();
  };
}

/** Takes over what was given to `writeHead`, which wins over what was set before. */
function adopt(response: ServerResponse, given: GivenHeaders = {}): void {
  if (!Array.isArray(given)) {
    for (const [name, value] of Object.entries(given)) {
      if (value !== undefined) response.setHeader(name, value);
    }
    return;
  }
  const flat: readonly string[] = given.flat();
  for (let at = 0; at < flat.length; at += 2) response.removeHeader(flat[at] as string);
  for (let at = 0; at < flat.length; at += 2) {
    response.appendHeader(flat[at] as string, flat[at + 1] as string);
  }
}
