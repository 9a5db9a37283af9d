import type { IncomingMessage } from 'node:http';
import { type Headers, type HeaderValue, headerOf } from '../http/headers.ts';
import { isUpgrade } from '../http/is-upgrade.ts';
import { toDisposition } from './to-disposition.ts';

const NAME = 'content-disposition';

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
    if (name.toLowerCase() !== NAME) kept[name] = value;
    else if (value !== undefined) own.push(...(Array.isArray(value) ? value : [String(value)]));
  }
  const disposition = toDisposition({
    method: request.method ?? 'GET',
    isUpgrade: isUpgrade(request.headers),
    contentType: headerOf(headers, 'content-type'),
    own,
  });
  if (disposition !== undefined) kept[NAME] = disposition;
  return kept;
}
