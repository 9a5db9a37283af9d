import {
  slicesOf,
  streamForm,
  toMultipart,
  type UploadForm,
  type UploadResponse,
} from '../upload-form.ts';

const CHUNK = 256 * 1024;

// Specific to Workers. It passes chunks on demand, and its known length makes `fetch` send
// `Content-Length`.
declare const IdentityTransformStream: new () => ByteTransform;

declare const FixedLengthStream: new (length: number) => ByteTransform;

type ByteTransform = TransformStream<Uint8Array, Uint8Array>;

/** Sends a form while reading it, because a Worker has little memory and its `fetch` supports streams. */
export async function sendForm(form: UploadForm): Promise<UploadResponse> {
  const { url, content, limits, idle, fetch, fail } = form;
  const multipart = toMultipart(form, crypto.randomUUID());
  const { contentType, head, tail } = multipart;
  const { readable, writable } =
    content.size === undefined
      ? new IdentityTransformStream()
      : new FixedLengthStream(head.length + content.size + tail.length);
  const body = writable.getWriter();
  const post = async () => {
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'Content-Type': contentType },
        body: readable,
        duplex: 'half',
        signal: limits.signal(),
        // A redirect would send the grant elsewhere, and the contract has no redirects.
        redirect: 'manual',
      } as RequestInit);
      return { status: response.status, text: await response.text(), headers: response.headers };
    } catch (cause) {
      throw fail(cause);
    }
  };
  const { data } = content;
  // Local files have already been rejected.
  return streamForm(form, multipart, data instanceof Blob ? slicesOf(data, CHUNK) : data, {
    write: (bytes) =>
      body.write(bytes).then(
        () => {
          limits.extend(idle);
          return true;
        },
        () => false,
      ),
    end: () => body.close().catch(() => {}),
    response: post(),
    abort: () => body.abort().catch(() => {}),
  });
}
