import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { open } from 'node:fs/promises';
// Import the module and not its names, so that tests and monitoring tools can replace `request`.
import http, { type ClientRequest, type IncomingMessage } from 'node:http';
import https from 'node:https';
import { LONGEST_TIMER } from '../../internal/options.ts';
import {
  assertLength,
  type Multipart,
  openSource,
  toMultipart,
  type UploadContent,
  type UploadForm,
  type UploadResponse,
} from '../upload-form.ts';

/** Number of bytes to read and send at a time. Large, to make few calls. */
const CHUNK = 512 * 1024;

/** Maximum length of a response to keep, in characters. XML errors are far shorter. */
const MAX_RESPONSE = 65_536;

/**
 * Sends a form over `node:http`. Streams the content, and sends its exact length if that is known. Reads each
 * chunk while the previous one is sent.
 */
export async function sendForm(form: UploadForm): Promise<UploadResponse> {
  const { content, report, limits, idle, fail } = form;
  const multipart = toMultipart(form, randomUUID());
  const request = openRequest(form, multipart);
  let late: Error | undefined;
  request.setTimeout(Math.min(idle, LONGEST_TIMER), () => {
    late = fail();
    request.destroy();
  });
  // The response, or its absence, is more informative than a later error.
  request.on('error', () => {});
  const receive = async () => {
    try {
      const [response] = (await once(request, 'response')) as [IncomingMessage];
      const text = await readText(response);
      const headers = new Headers(response.headers as Record<string, string>);
      return { status: response.statusCode ?? 0, text, headers };
    } catch (cause) {
      throw late ?? fail(cause);
    }
  };
  /** Sends the next bytes. Returns `false` if the server takes no more; its response shows why. */
  const write = (bytes: Uint8Array) =>
    new Promise<boolean>((resolve) => {
      request.write(bytes, (error) => {
        // The socket has its own timer, which starts once it is connected.
        limits.extend(0);
        resolve(!error);
      });
    });

  const refused = new AbortController();
  const ends = AbortSignal.any([limits.signal(), refused.signal]);
  const next = openSource(toChunks(content.data), ends);
  ends.addEventListener('abort', () => request.destroy());
  let isComplete = false;
  const send = async () => {
    let sent = 0;
    let writing = write(multipart.head);
    for (;;) {
      const [{ done, value }, isOpen] = await Promise.all([next(), writing]);
      if (!isOpen) return;
      if (done) break;
      const bytes = toBytes(value);
      sent += bytes.byteLength;
      assertLength(content, sent, false);
      const loaded = sent;
      writing = write(bytes).then((isTaken) => {
        if (isTaken) report?.(loaded);
        return isTaken;
      });
    }
    assertLength(content, sent, true);
    report?.(sent);
    isComplete = true;
    if (await write(multipart.tail)) request.end();
  };
  const sending = new Promise<never>((_, reject) => {
    send().catch(reject);
  });
  const response = await Promise.race([sending, receive()]);
  if (isComplete) return response;
  // A response that comes early is a refusal, so do not send the rest.
  if (response.status < 300)
    throw fail(new Error('The server responded before the entire file was sent.'));
  refused.abort();
  return response;
}

function toBytes(chunk: unknown): Uint8Array {
  if (typeof chunk === 'string') return new TextEncoder().encode(chunk);
  // Check by name, because `instanceof` fails for chunks from another realm.
  if (Object.prototype.toString.call(chunk) === '[object Uint8Array]') return chunk as Uint8Array;
  throw new TypeError('The stream must yield only bytes and strings.');
}

function openRequest(
  { url, content, agent }: UploadForm,
  { contentType, head, tail }: Multipart,
): ClientRequest {
  const { size, isReplayable } = content;
  const address = new URL(url);
  const { request } = address.protocol === 'https:' ? https : http;
  return request(address, {
    method: 'POST',
    path: toRequestTarget(url),
    // The server may be closing a keep-alive connection, and a stream cannot be sent again.
    agent: (agent as never) ?? (isReplayable ? undefined : false),
    headers: {
      'Content-Type': contentType,
      ...(size !== undefined && { 'Content-Length': head.length + size + tail.length }),
    },
  });
}

/**
 * Returns the path and query of a URL exactly as written, because clients must not change them (D2). Parsing
 * the URL would resolve and encode parts that a signature may cover, so the parsed form is used only if HTTP
 * cannot carry the original.
 */
export function toRequestTarget(url: string): string {
  const raw = /^[^:/?#]+:\/\/[^/?#]+(\/[!-"$-~]*)(?:#|$)/.exec(url)?.[1];
  if (raw !== undefined) return raw;
  const { pathname, search } = new URL(url);
  return pathname + search;
}

async function readText(response: IncomingMessage): Promise<string> {
  response.setEncoding('utf8');
  let text = '';
  for await (const chunk of response) if (text.length < MAX_RESPONSE) text += chunk;
  return text;
}

function toChunks(data: UploadContent['data']): object {
  if (data instanceof Blob) return slicesOf(data);
  if (ArrayBuffer.isView(data)) return subarraysOf(data);
  return 'file' in data ? chunksOf(data.file) : data;
}

/** Slices a Blob, because its own stream may return very little at a time, or everything. */
async function* slicesOf(blob: Blob) {
  for (let at = 0; at < blob.size; at += CHUNK) {
    yield new Uint8Array(await blob.slice(at, at + CHUNK).arrayBuffer());
  }
}

async function* subarraysOf(bytes: Uint8Array) {
  for (let at = 0; at < bytes.byteLength; at += CHUNK) yield bytes.subarray(at, at + CHUNK);
}

/** Twice as fast as `createReadStream`, which allocates a buffer for each chunk. */
async function* chunksOf(path: string | URL) {
  const file = await open(path);
  try {
    // One buffer is filled while the other is sent.
    const buffers = [Buffer.allocUnsafeSlow(CHUNK), Buffer.allocUnsafeSlow(CHUNK)] as const;
    for (let turn = 0; ; turn += 1) {
      const buffer = turn % 2 ? buffers[1] : buffers[0];
      const { bytesRead } = await file.read(buffer, 0, CHUNK, null);
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}
