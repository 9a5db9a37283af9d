import { isUtf8 } from 'node:buffer';
import { parseJson } from '../util/values.ts';
import type { LoggedMessage, LoggedRequest } from './request-log.ts';

/** The beginning of a body, as text if it is UTF-8. */
type JsonBody = { readonly text: string } | { readonly base64: string };

type ToJson<Message extends LoggedMessage> = Omit<Message, 'body'> & { readonly body?: JsonBody };

export interface LoggedJson extends Omit<LoggedRequest, 'request' | 'response'> {
  /** Why the call was refused. */
  readonly reason: string | undefined;
  readonly request: ToJson<LoggedRequest['request']>;
  readonly response?: ToJson<NonNullable<LoggedRequest['response']>>;
}

/**
 * Converts a logged call to JSON field by field, because the call may have fields that the log does not show.
 */
export function toLoggedJson(logged: LoggedRequest): LoggedJson {
  const { id, at, surface, operationId, service, matched, response } = logged;
  const { violations, faults } = logged;
  return {
    id,
    at,
    surface,
    operationId,
    service,
    matched,
    request: toMessage(logged.request),
    ...(response !== undefined && { response: toMessage(response) }),
    reason: findReason(logged),
    violations,
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

/** Returns why the mock refused a call: what breaks the contract, or the code and message of the error. */
export function findReason({ violations, response }: LoggedRequest): string | undefined {
  if (response === undefined || response.status < 400) return undefined;
  if (violations.length > 0) return violations.map(({ message }) => message).join(' ');
  const text = Buffer.from(response.body ?? []).toString();
  const parts = ['code', 'message'].map((name) => findText(text, name));
  return parts.filter((part) => part !== undefined).join(': ') || undefined;
}

/** Returns the text of a field, in JSON or XML, of which only the beginning may be known. */
function findText(body: string, name: string): string | undefined {
  const json = new RegExp(`"${name}"\\s*:\\s*("(?:[^"\\\\]|\\\\.)*")`).exec(body)?.[1];
  if (json === undefined) return new RegExp(`<${name}>([^<]*)<`, 'i').exec(body)?.[1];
  return parseJson(json) as string | undefined;
}
