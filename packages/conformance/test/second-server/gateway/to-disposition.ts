import type { IncomingMessage } from 'node:http';
import { valuesOf } from '../http/raw-headers.ts';

const TEXT = ['application/json', 'application/x-www-form-urlencoded', 'text/plain'];

/**
 * The values of `Content-Disposition` that an answer of a hosted service gets, by the rules C1 to C3.
 * What D8 leaves open goes the other way than with the reference server: the service's own stay beside
 * the gateway's, a body without a type is text, an answer that can have no body gets none, and an event
 * stream is exempt only where the caller accepts one.
 */
export function toDisposition(call: IncomingMessage, answer: IncomingMessage): string[] {
  const type = mediaType(answer.headers['content-type']);
  if (answer.statusCode === 204 || answer.statusCode === 304) return [];
  if (type === 'text/event-stream' && acceptsEvents(call)) return [];
  if (call.method === 'POST' && (type === '' || TEXT.includes(type))) return [];
  const own = valuesOf(answer.rawHeaders, 'content-disposition');
  return [...own.filter((value) => !/^\s*inline\b/i.test(value)), 'attachment; filename="x"'];
}

function mediaType(value = ''): string {
  return value.split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

function acceptsEvents({ headers }: IncomingMessage): boolean {
  return (headers.accept ?? '').split(',').some((one) => mediaType(one) === 'text/event-stream');
}
