import { CONTENT_KINDS } from './portable/content-kinds.ts';
import type { Content, DocumentedResponse, HandlerResponse } from './portable/route-table.ts';
import { toViolation } from './portable/validation.ts';
import { isBytes } from './response-body.ts';

/**
 * Says how a response violates the document; `undefined` if it does not. For development (`responses: 'check'`).
 *
 * @param documented the documented response for the status
 * @param content the documented media type of the body
 */
export function findViolation(
  { status, body }: HandlerResponse,
  head: Readonly<Record<string, unknown>>,
  documented: DocumentedResponse | undefined,
  content: Content | undefined,
): string | undefined {
  if (documented === undefined) return `The status ${status} is not documented.`;
  const missing = documented.requiredHeaders?.find((name) => head[name] === undefined);
  if (missing !== undefined) return `The ${missing} header is missing.`;
  const isEmpty = status === 204 || status === 304 || documented.content.length === 0;
  if (isEmpty !== (body === undefined)) {
    return `A ${status} must ${isEmpty ? 'not ' : ''}have a body.`;
  }
  if (body === undefined) return undefined;
  if (content === undefined) return `The media type is not documented for ${status}.`;
  const { kind, mediaType, validate } = content;
  const { isJson } = CONTENT_KINDS[kind];
  if (isJson ? isBytes(body) : !isBytes(body) && typeof body !== 'string') {
    const type = isJson ? 'a JavaScript value, not bytes' : 'a string, bytes or a stream';
    return `The ${mediaType} body must be ${type}.`;
  }
  if (isBytes(body) || validate === undefined || validate(body)) return undefined;
  return toViolation(body, validate.errors, 'response', 'response', '/body').message;
}
