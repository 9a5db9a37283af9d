import { findContent } from '../body/media-type.ts';
import { headerOf } from '../decoding.ts';
import { toSimpleViolation, toViolation, type Violation } from '../faults.ts';
import type { Content, DocumentedResponse, HandlerResponse } from '../route-table.ts';
import { isBytes } from './write-response.ts';

/** Selected by its `contentType` if set, then by its `Content-Type` header, and otherwise the first. */
export function contentOf(
  { content }: DocumentedResponse,
  response: HandlerResponse,
): Content | undefined {
  if (response.contentType !== undefined) {
    return findContent(content, response.contentType);
  }
  const header = response.headers && headerOf(response.headers, 'content-type');
  return header === undefined ? content[0] : findContent(content, header);
}

/** @param common headers that are sent with every response */
export function checkResponse(
  documented: DocumentedResponse | undefined,
  content: Content | undefined,
  response: HandlerResponse,
  common: Readonly<Record<string, string>> | undefined,
): Violation | undefined {
  const { status, headers, body } = response;
  if (documented === undefined) {
    return violate('/status', 'status', `The status ${status} is not documented.`);
  }
  for (const name of documented.requiredHeaders ?? []) {
    const known = [headers, common].some((some) => some && headerOf(some, name) !== undefined);
    if (!known) return violate(`/headers/${name}`, 'required', `The ${name} header is missing.`);
  }
  if (status === 204 || status === 304) {
    return body === undefined
      ? undefined
      : violate('/body', 'body', `A ${status} response must not have a body.`);
  }
  if (body === undefined) {
    if (documented.content.length === 0) return undefined;
    return violate('/body', 'required', `The ${status} response must have a body.`);
  }
  if (content === undefined) {
    return documented.content.length === 0
      ? violate(
          '/body',
          'body',
          `The ${status} response must not have a body, because none is documented.`,
        )
      : violate(
          '/headers/content-type',
          'contentType',
          `The media type is not documented for ${status}.`,
        );
  }
  return checkBody(content, body);
}

function checkBody({ kind, mediaType, validate }: Content, body: unknown): Violation | undefined {
  if (kind === 'json') {
    if (isBytes(body))
      return violate(
        '/body',
        'type',
        `The ${mediaType} body must be a JavaScript value, not bytes.`,
      );
    if (validate === undefined || validate(body)) return undefined;
    return toViolation(validate.errors, 'response', 'response', '/body');
  }
  if (isBytes(body)) return undefined;
  if (typeof body !== 'string') {
    return violate('/body', 'type', `The ${mediaType} body must be a string, bytes or a stream.`);
  }
  if (kind !== 'text' || validate === undefined || validate(body)) return undefined;
  return toViolation(validate.errors, 'response', 'response', '/body');
}

function violate(pointer: string, keyword: string, message: string): Violation {
  return toSimpleViolation('response', pointer, keyword, message);
}
