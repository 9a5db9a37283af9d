import { openDeadline } from '../../internal/pipeline/deadline.ts';
import {
  assertLength,
  toMultipart,
  type UploadAnswer,
  type UploadContent,
  type UploadForm,
} from '../upload-form.ts';

/** Bytes that are copied at once. */
const CHUNK = 256 * 1024;

/** What the types of the DOM do not know yet. */
const Streams = ReadableStream as unknown as {
  from(data: AsyncIterable<unknown>): ReadableStream<unknown>;
};

// Of Workers alone: pieces go on as they are asked for, and with a length `fetch` sends `Content-Length`.
declare const IdentityTransformStream: new () => ByteTransform;

declare const FixedLengthStream: new (length: number) => ByteTransform;

type ByteTransform = TransformStream<Uint8Array, Uint8Array>;

/** Sends a form as it is read: a Worker has little memory, and its `fetch` sends streams. */
export function sendForm(form: UploadForm): Promise<UploadAnswer> {
  const { url, content, report, idle, fetch, fail } = form;
  const { step } = openDeadline(form.signal, { perTry: idle }, () => fail());
  return step(async ({ signal: endOf, extend }) => {
    const { contentType, head, tail } = toMultipart(form, crypto.randomUUID());
    const { readable, writable } =
      content.size === undefined
        ? new IdentityTransformStream()
        : new FixedLengthStream(head.length + content.size + tail.length);
    const source = toByteStream(content.data).getReader();
    const body = writable.getWriter();
    const signal = endOf();
    let isWhole = false;

    const leave = () => {
      source.cancel(signal.reason).catch(() => {});
      body.abort(signal.reason).catch(() => {});
    };
    signal.addEventListener('abort', leave);

    /** Whether the connection has taken it; where it has not, `fetch` tells why. */
    const write = (bytes: Uint8Array) =>
      body.write(bytes).then(
        () => {
          extend(idle);
          return true;
        },
        () => false,
      );
    const send = async () => {
      let sent = 0;
      if (!(await write(head))) return;
      for (;;) {
        const { done, value } = await source.read();
        // A source that was left ends as well.
        if (signal.aborted) return;
        if (done) break;
        const bytes = toBytes(value);
        sent += bytes.byteLength;
        assertLength(content, sent, false);
        if (!(await write(bytes))) return;
        report?.(sent);
      }
      assertLength(content, sent, true);
      report?.(sent);
      isWhole = true;
      if (await write(tail)) await body.close().catch(() => {});
    };
    const post = async () => {
      try {
        const response = await fetch(url, {
          method: 'POST',
          headers: { 'Content-Type': contentType },
          body: readable,
          duplex: 'half',
          signal,
          // A redirect would carry the grant to another address; the contract knows none.
          redirect: 'manual',
        } as RequestInit);
        return { status: response.status, text: await response.text(), headers: response.headers };
      } catch (cause) {
        throw fail(cause);
      }
    };

    const sending = new Promise<never>((_, reject) => {
      send().catch(reject);
    });
    const answer = await Promise.race([sending, post()]);
    if (isWhole) return answer;
    // An answer before the end is a refusal: nothing more need be sent.
    if (answer.status < 300) throw fail(new Error('The answer came before the end of the file.'));
    leave();
    return answer;
  });
}

function toBytes(chunk: unknown): Uint8Array {
  if (chunk instanceof Uint8Array) return chunk;
  if (typeof chunk === 'string') return new TextEncoder().encode(chunk);
  throw new TypeError('The stream gives other things than bytes and texts.');
}

/** A content as a stream, read no faster than it is sent. Files of the disk are refused before. */
function toByteStream(data: UploadContent['data']): ReadableStream<unknown> {
  if (data instanceof ReadableStream) return data;
  return Streams.from(data instanceof Blob ? slicesOf(data) : (data as AsyncIterable<unknown>));
}

/** By slices, for the stream of a Blob gives little at a time. */
async function* slicesOf(blob: Blob) {
  for (let at = 0; at < blob.size; at += CHUNK) {
    yield new Uint8Array(await blob.slice(at, at + CHUNK).arrayBuffer());
  }
}
