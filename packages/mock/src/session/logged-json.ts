import { isUtf8 } from 'node:buffer';
import type { LoggedMessage, LoggedRequest } from './request-log.ts';

/** The beginning of a body, as text if it is UTF-8. */
type JsonBody = { readonly text: string } | { readonly base64: string };

type ToJson<Message extends LoggedMessage> = Omit<Message, 'body'> & { readonly body?: JsonBody };

export interface LoggedJson extends Omit<LoggedRequest, 'request' | 'response'> {
  readonly request: ToJson<LoggedRequest['request']>;
  readonly response?: ToJson<NonNullable<LoggedRequest['response']>>;
}

/**
 * Converts a logged call to JSON field by field, because the call may have fields that the log does not show.
 */
export function toLoggedJson(logged: LoggedRequest): LoggedJson {
  const { id, at, surface, operationId, service, matched, response } = logged;
  const { violations, responseViolations, faults } = logged;
  return {
    id,
    at,
    surface,
    operationId,
    service,
    matched,
    request: toMessage(logged.request),
    ...(response !== undefined && { response: toMessage(response) }),
    violations,
    responseViolations,
    faults,
  };
}

function toMessage<Message extends LoggedMessage>(message: Message): ToJson<Message> {
  const { body, ...others } = message;
  return { ...others, ...(body !== undefined && { body: toBody(body, others.bodyBytes) }) };
}

function toBody(body: Uint8Array, bodyBytes: number): JsonBody {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.length);
  // The kept part of a longer body may end in the middle of a character.
  const whole = bodyBytes > bytes.length ? bytes.subarray(0, endOfText(bytes)) : bytes;
  return isUtf8(whole) ? { text: whole.toString() } : { base64: bytes.toString('base64') };
}

function endOfText(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(4, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] as number;
    if ((byte & 0xc0) === 0x80) continue;
    const length = byte < 0x80 ? 1 : byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
    return length > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}
