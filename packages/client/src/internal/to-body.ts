import { isRecord } from './options.ts';

const FORM = 'application/x-www-form-urlencoded;charset=UTF-8';

/**
 * Thrown for a body that `fetch` would mangle, such as another package's `Blob`, which it would send as the
 * text `[object Blob]`.
 */
export class UnknownBodyError extends TypeError {
  constructor(kind: string) {
    super(`Cannot send a body of type ${kind}.`);
  }
}

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
    // Some browsers do not support stream bodies, and would send the text "[object ReadableStream]".
    value.toString = () => {
      throw new TypeError(
        'This platform does not support streams as a request body: pass a Blob or bytes.',
      );
    };
    return { body: value as RequestInit['body'] };
  }
  if (['Blob', 'File', 'FormData'].includes(kind)) {
    // Only `fetch` itself knows whether it supports this type.
    (value as object).toString = () => {
      throw new UnknownBodyError(kind);
    };
    return { body: value as RequestInit['body'] };
  }
  const text = JSON.stringify(value);
  if (text === undefined || (text === '{}' && kind !== 'Object')) {
    throw new UnknownBodyError(kind);
  }
  return { body: text, type: 'application/json' };
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
