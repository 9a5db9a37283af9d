import { isRecord } from './json.ts';

const FORM = 'application/x-www-form-urlencoded;charset=UTF-8';

/** A body that would not arrive, such as a `Blob` that `fetch` takes for the text `[object Blob]`. */
export class UnknownBodyError extends TypeError {
  constructor(kind: string) {
    super(`A body of the kind ${kind} cannot be sent here.`);
  }
}

/**
 * The body of a POST and its media type: JSON, but for what `fetch` sends by itself. Kinds are told by
 * their names, for those of another realm or package are no instances of the platform's.
 *
 * @throws TypeError where a stream is spent, or where nothing of the value would be sent
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
    // Firefox knows no streams as a body, and would send the text "[object ReadableStream]".
    value.toString = () => {
      throw new TypeError('fetch would send this stream as a text.');
    };
    return { body: value as RequestInit['body'] };
  }
  if (['Blob', 'File', 'FormData'].includes(kind)) {
    // Only `fetch` itself knows whether this one is of its kind.
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

/** Name of the kind of a value, such as `Blob`. */
function kindOf(value: unknown): string {
  return Object.prototype.toString.call(value).slice(8, -1);
}

/** Whether a value is an `ArrayBuffer`, of whatever realm: jsdom and Jest have their own. */
export function isArrayBuffer(value: unknown): value is ArrayBuffer {
  return kindOf(value) === 'ArrayBuffer';
}

/** Whether a body can be read only once: a web stream, or a stream of Node. */
export function isStream(
  value: unknown,
): value is ReadableStream<Uint8Array> | AsyncIterable<Uint8Array | string> {
  return isRecord(value) && ('getReader' in value || Symbol.asyncIterator in value);
}

/**
 * Refuses a stream whose bytes somebody else has got, for it would be sent as if it were empty.
 *
 * @throws TypeError
 */
export function assertUnread(stream: object): void {
  const { locked, readableEnded, destroyed, errored } = stream as Readonly<Record<string, unknown>>;
  // A stream that failed has an error of its own, which says more.
  if (!locked && !readableEnded && !(destroyed && !errored) && !isDisturbed(stream)) return;
  throw new TypeError('The stream has already been read, or is being read.');
}

/** Whether a stream of the web was read before: nothing but the refusal of a `Response` shows it. */
function isDisturbed(stream: object): boolean {
  if (!(globalThis.ReadableStream && stream instanceof ReadableStream)) return false;
  try {
    return !new Response(stream);
  } catch {
    return true;
  }
}
