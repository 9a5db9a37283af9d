/** What the document says about a response, and how the response violates it. */
import type { Call, HandlerResponse } from './portable/call.ts';
import { findContent, headerOf } from './portable/headers.ts';
import type { Content, DocumentedResponse, Route } from './portable/route-table.ts';
import { toViolation } from './portable/validation.ts';

/** The response for the status itself, its range (`4XX`), or `default`. */
function findResponse({ responses }: Route, status: number): DocumentedResponse | undefined {
  const find = (name: string) => responses.find((response) => response.status === name);
  return find(`${status}`) ?? find(`${Math.floor(status / 100)}XX`) ?? find('default');
}

/** Selected by its `contentType` if set, then by its `Content-Type` header, and otherwise JSON or the first. */
export function selectContent(
  route: Route,
  { status, contentType, headers = {} }: HandlerResponse,
): Content | undefined {
  const { content = [] } = findResponse(route, status) ?? {};
  const mediaType = contentType ?? headerOf(headers, 'content-type');
  if (mediaType !== undefined) return findContent(content, mediaType);
  return content.find(({ mediaType }) => mediaType === 'application/json') ?? content[0];
}

/**
 * Returns how a response violates the document, or `undefined`. For development (`responses: 'check'`).
 *
 * @param isBytes whether the body is bytes or a stream of bytes, whose content is not checked
 */
export function findViolation(
  { request, route }: Call,
  result: HandlerResponse,
  headers: Readonly<Record<string, unknown>>,
  content: Content | undefined,
  isBytes: boolean,
): string | undefined {
  if (route === undefined) return undefined;
  const { status, body } = result;
  const documented = findResponse(route, status);
  if (documented === undefined) return `The status ${status} is not documented.`;
  const missing = documented.requiredHeaders?.find((name) => headers[name] === undefined);
  if (missing !== undefined) return `The ${missing} header is missing.`;
  const isEmpty = status === 204 || status === 304 || documented.content.length === 0;
  if (body === undefined) {
    const isOptional = isEmpty || request.method === 'HEAD';
    return isOptional ? undefined : `A ${status} must have a body.`;
  }
  if (isEmpty) return `A ${status} must not have a body.`;
  if (content === undefined) return `The media type is not documented for ${status}.`;
  const { kind, mediaType, validate } = content;
  const isJson = kind === 'json';
  if (isJson ? isBytes : !isBytes && typeof body !== 'string') {
    const type = isJson ? 'a JavaScript value, not bytes' : 'a string, bytes or a stream';
    return `The ${mediaType} body must be ${type}.`;
  }
  if (isBytes || validate === undefined) return undefined;
  // As it is sent: a `Date` becomes a string.
  const json = JSON.parse(JSON.stringify(body));
  return validate(json)
    ? undefined
    : toViolation(json, validate.errors, 'response', '/body').message;
}
