import type { IncomingHttpHeaders } from 'node:http';
import { limit } from '../contract/defaults.ts';
import type { Call } from '../http/call.ts';
import { mediaTypeOf } from '../http/media-type.ts';
import { hasBody, skipBody } from '../http/read-body.ts';
import { readJson } from '../http/read-json.ts';
import { Refusal } from '../refusal.ts';

/**
 * The body of a gateway call, as far as it can be judged: a JSON value, or undefined for none.
 *
 * D13: "A GET with a body is 400." "POST takes any Content-Type and passes the body unchanged (the
 * documents declare `application/json`, object)." So a body of another type, or a compressed one, is
 * read for its size alone, and judged like an object without properties.
 */
export async function readPayload(call: Call): Promise<unknown> {
  const { request } = call;
  if (call.method !== 'POST') {
    if (!hasBody(request)) return undefined;
    throw new Refusal('INVALID_REQUEST', `A ${call.method} takes no body: send it with POST.`);
  }
  const maxBytes = limit('gatewayBodyBytes');
  if (!isJson(request.headers)) {
    await skipBody(request, maxBytes);
    return {};
  }
  const body = await readJson(call, maxBytes);
  if ('fault' in body) throw new Refusal('INVALID_REQUEST', body.fault);
  return body.value;
}

function isJson(headers: IncomingHttpHeaders): boolean {
  const { 'content-type': contentType = 'application/json', 'content-encoding': coding } = headers;
  if (coding !== undefined && coding.toLowerCase() !== 'identity') return false;
  return /^application\/(json|[^;]+\+json)$/.test(mediaTypeOf(contentType));
}
