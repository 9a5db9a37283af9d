import { typeTag } from '../checks.ts';
import type { StorageContext } from '../context.ts';
import { type BerthError, optionsError } from '../errors.ts';
import type { components } from '../generated/storage.v2.gen.ts';
import type { IdleWatch } from '../idle.ts';
import type { Stream } from '../streams.ts';

/** A form field. Wire profiles rename some of them. */
export type Field = keyof components['schemas']['UploadForm'];

/** The contract requires it to be the last field. */
export const FILE_FIELD = 'file' satisfies Field;

/** Maximum length of a response to keep: bytes in browsers, characters in Node. XML errors are far shorter. */
export const MAX_RESPONSE = 65_536;

/** A local file, in Node. It is streamed, and can be sent again if an attempt fails. */
interface FileSource {
  /** Path or `file:` URL of the file. */
  readonly file: string | URL;
}

/**
 * What can be uploaded: text (sent as UTF-8), bytes, a `Blob`, a web stream, a Node stream, any other async iterable of
 * bytes or text, or, in Node, a local file. Node streams the content. Browsers cannot send a stream over HTTP/1.1, so
 * they collect it in memory first.
 */
export type UploadData = string | Blob | ArrayBuffer | ArrayBufferView | Stream | FileSource;

export interface UploadContent {
  readonly data: Blob | Uint8Array<ArrayBuffer> | Stream | FileSource;
  /** Size in bytes; `undefined` for a stream of unknown size. */
  readonly size: number | undefined;
  readonly maxBytes: number;
  readonly type: string;
}

/** One attempt to post a form. Its URL and fields are secret. */
export interface UploadForm {
  /** The URL to post to, exactly as it was returned. */
  readonly url: string;
  readonly fields: readonly (readonly [name: string, value: string])[];
  readonly fileName: string;
  readonly content: UploadContent;
  /** Its signal also aborts when the attempt is over. */
  readonly watch: IdleWatch;
  readonly report: ((loaded: number) => void) | undefined;
  readonly context: StorageContext;
}

export interface UploadResponse {
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
  /** The error of an early response, which came before the entire file was sent, unless it reports an error itself. */
  readonly earlyError?: BerthError | undefined;
}

/**
 * Checks the content against its limit and its size, which has already been sent as `Content-Length` (RFC 9110, section
 * 8.6).
 *
 * @param loaded number of bytes read so far
 */
export function checkLength(
  { size = Number.NaN, maxBytes }: Pick<UploadContent, 'size' | 'maxBytes'>,
  loaded: number,
  isEnd: boolean,
): void {
  let problem: string | undefined;
  if (loaded > maxBytes) problem = `larger than ${maxBytes} bytes`;
  else if (loaded > size) problem = `larger than its size (${size} bytes)`;
  else if (loaded < size && isEnd) problem = `smaller than its size (${size} bytes)`;
  if (problem) throw optionsError(`The content is ${problem}.`);
}

/** Reads a stream in chunks, and checks its length. When the signal aborts, the stream is canceled. */
export async function* readStream(stream: object, content: UploadContent, signal: AbortSignal) {
  const next = openStream(stream, signal);
  let loaded = 0;
  for (let chunk = await next(); !chunk.done; chunk = await next()) {
    const bytes = toChunk(chunk.value);
    loaded += bytes.byteLength;
    checkLength(content, loaded, false);
    yield bytes;
  }
  // A canceled stream ends like a complete one.
  signal.throwIfAborted();
  checkLength(content, loaded, true);
}

/** Web streams are read with a reader, because those of Safari are not iterable. */
function openStream(stream: object, signal: AbortSignal): () => Promise<IteratorResult<unknown>> {
  if ('getReader' in stream) {
    const reader = (stream as ReadableStream<unknown>).getReader();
    signal.addEventListener('abort', () => reader.cancel(signal.reason).catch(() => {}));
    return () => reader.read();
  }
  const iterator = (stream as AsyncIterable<unknown>)[Symbol.asyncIterator]();
  const leave = async () => iterator.return?.();
  signal.addEventListener('abort', () => {
    // A generator ends only after its current step, but a Node stream can be destroyed.
    if ('destroy' in stream) (stream as { destroy(): void }).destroy();
    else leave().catch(() => {});
  });
  return () => iterator.next();
}

function toChunk(value: unknown): Uint8Array<ArrayBuffer> {
  if (typeof value === 'string') return new TextEncoder().encode(value);
  // By name, because `instanceof` fails for values of another realm.
  if (typeTag(value) === 'Uint8Array') return value as Uint8Array<ArrayBuffer>;
  throw optionsError('A stream must yield bytes or text.');
}
