import { isUtf8 } from 'node:buffer';
import type { LoggedMessage, LoggedRequest } from './request-log.ts';

/** The beginning of a body, as text where it is UTF-8. */
export type JsonBody = { readonly text: string } | { readonly base64: string };

type ToJson<Message extends LoggedMessage> = Omit<Message, 'body'> & { readonly body?: JsonBody };

/** A call of the log as the control API sends it. */
interface LoggedJson extends Omit<LoggedRequest, 'request' | 'answer'> {
  readonly request: ToJson<LoggedRequest['request']>;
  readonly answer?: ToJson<NonNullable<LoggedRequest['answer']>>;
}

/** A call of the log as JSON, field by field: it may be more than the log's part of it. */
export function toLoggedJson(logged: LoggedRequest): LoggedJson {
  const { id, at, surface, operationId, service, matched, answer } = logged;
  const { violations, answerViolations, faults } = logged;
  return {
    id,
    at,
    surface,
    operationId,
    service,
    matched,
    request: toMessage(logged.request),
    ...(answer !== undefined && { answer: toMessage(answer) }),
    violations,
    answerViolations,
    faults,
  };
}

function toMessage<Message extends LoggedMessage>(message: Message): ToJson<Message> {
  const { body, ...others } = message;
  return { ...others, ...(body !== undefined && { body: toBody(body, others.bodyBytes) }) };
}

function toBody(body: Uint8Array, bodyBytes: number): JsonBody {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.length);
  // What was kept of a longer body may end in the middle of a character.
  const whole = bodyBytes > bytes.length ? bytes.subarray(0, endOfText(bytes)) : bytes;
  return isUtf8(whole) ? { text: whole.toString() } : { base64: bytes.toString('base64') };
}

/** Where the last whole character ends. */
function endOfText(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(4, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] as number;
    if ((byte & 0xc0) === 0x80) continue;
    const length = byte < 0x80 ? 1 : byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
    return length > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}
