import { isRecord } from './options.ts';

const FORM = 'application/x-www-form-urlencoded;charset=UTF-8';

/**
 * Returns the body and media type for a POST. The body is JSON, except for values that `fetch` can send as
 * is. Types are recognized by name, because `instanceof` fails for values from another realm or package.
 *
 * @throws TypeError if a stream has already been read, or if the body would not contain the value's data
 */
export function toBody(value: unknown): { body?: RequestInit['body']; type?: string } {
  if (value === undefined) return {};
  if (typeof value === 'string' || ArrayBuffer.isView(value)) {
    return { body: value as RequestInit['body'] };
  }
  if (isArrayBuffer(value)) return { body: new Uint8Array(value) };
  const kind = kindOf(value);
  if (kind === 'URLSearchParams') return { body: String(value), type: FORM };
  if (isStream(value)) {
    assertUnread(value);
    return { body: value as RequestInit['body'] };
  }
  if (['Blob', 'File', 'FormData'].includes(kind)) return { body: value as RequestInit['body'] };
  const text = JSON.stringify(value);
  if (text === undefined || (text === '{}' && kind !== 'Object')) {
    throw new TypeError(`Cannot send a body of type ${kind}.`);
  }
  return { body: text, type: 'application/json' };
}

/**
 * Rejects a body that the platform's `fetch` would send as the text `[object …]`, such as another package's
 * `Blob`, or a stream in a browser that cannot send streams. `Request` shows it: text has a media type.
 *
 * @throws TypeError
 */
export function assertSupported(body: RequestInit['body']): void {
  if (typeof body !== 'object' || !body || ArrayBuffer.isView(body)) return;
  const init = { method: 'POST', body: isStream(body) ? toSample(body) : body, duplex: 'half' };
  const { headers } = new Request('http://localhost/', init as RequestInit);
  if (headers.get('Content-Type') !== 'text/plain;charset=UTF-8') return;
  throw new TypeError(`This platform cannot send a ${kindOf(body)}: pass a Blob or bytes.`);
}

/** Returns an empty stream of the same kind, because a `Request` would use the original. */
function toSample(stream: object): unknown {
  return 'getReader' in stream ? new ReadableStream() : (async function* () {})();
}

/**
 * Encodes a form as bytes for the caller's own `fetch`. A package such as undici would send the platform's
 * `FormData` as text.
 */
export async function encodeForm(form: FormData): Promise<{ body: Blob; type: string }> {
  const response = new Response(form);
  const type = response.headers.get('Content-Type') ?? '';
  return { body: await response.blob(), type };
}

function kindOf(value: unknown): string {
  return Object.prototype.toString.call(value).slice(8, -1);
}

/** Returns whether a value is an `ArrayBuffer` from any realm: jsdom and Jest have their own. */
export function isArrayBuffer(value: unknown): value is ArrayBuffer {
  return kindOf(value) === 'ArrayBuffer';
}

/** Returns whether a body can be read only once, because it is a web stream or a Node stream. */
export function isStream(
  value: unknown,
): value is ReadableStream<Uint8Array> | AsyncIterable<Uint8Array | string> {
  return isRecord(value) && ('getReader' in value || Symbol.asyncIterator in value);
}

/**
 * Rejects a stream that has already been read, because `fetch` would send it as if it were empty.
 *
 * @throws TypeError
 */
export function assertUnread(stream: object): void {
  const { locked, readableEnded, destroyed, errored } = stream as Readonly<Record<string, unknown>>;
  // A failed stream has its own, more helpful error.
  if (!locked && !readableEnded && !(destroyed && !errored) && !isDisturbed(stream)) return;
  throw new TypeError('The stream has already been read.');
}

/** Returns whether a web stream has been read before, which only an error from `Response` reveals. */
function isDisturbed(stream: object): boolean {
  if (!(globalThis.ReadableStream && stream instanceof ReadableStream)) return false;
  try {
    return !new Response(stream);
  } catch {
    return true;
  }
}
