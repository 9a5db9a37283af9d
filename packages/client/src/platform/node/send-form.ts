import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { open } from 'node:fs/promises';
// By their modules, not by name: so tests and monitors that put their own `request` there see it.
import http, { type ClientRequest, type IncomingMessage } from 'node:http';
import https from 'node:https';
import { openDeadline } from '../../internal/pipeline/deadline.ts';
import { openSource, slicesOf, streamForm } from '../stream-form.ts';
import {
  type Multipart,
  toMultipart,
  type UploadContent,
  type UploadForm,
  type UploadResponse,
} from '../upload-form.ts';

/** Bytes that are read and sent at a time: few calls for a large file. */
const CHUNK = 512 * 1024;

/** Longest response that is kept, in characters; an XML error is far shorter. */
const MAX_ANSWER = 65_536;

/** Sends a form over `node:http`: its content streamed, with an exact length if that is known. */
export function sendForm(form: UploadForm): Promise<UploadResponse> {
  const { content, signal, idle, fail } = form;
  const { step } = openDeadline(signal, { perTry: idle }, () => fail());
  return step(async (limits) => {
    const multipart = toMultipart(form, randomUUID());
    const source = openSource(toChunks(content.data));
    const request = openRequest(form, multipart);
    const ends = limits.signal();
    const close = () => {
      source.leave(ends.reason);
      request.destroy();
    };
    ends.addEventListener('abort', close);
    let late: Error | undefined;
    request.setTimeout(idle, () => {
      late = fail();
      request.destroy();
    });
    // The response, or its lack, says more than an error after it.
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
    return streamForm(form, multipart, {
      source,
      write: (bytes) =>
        new Promise((resolve) => {
          request.write(bytes, (error) => {
            // The socket has a timer of its own, which begins when it is connected.
            limits.extend(0);
            resolve(!error);
          });
        }),
      end: async () => request.end(),
      answer: receive(),
      close,
    });
  });
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
    // A kept connection may be closed by the server just now, and a stream cannot be sent again.
    agent: (agent as never) ?? (isReplayable ? undefined : false),
    headers: {
      'Content-Type': contentType,
      ...(size !== undefined && { 'Content-Length': head.length + size + tail.length }),
    },
  });
}

/**
 * Path and query of an address as they stand there. "Clients post to the returned `url` verbatim, its
 * path and query included" (D2): a parsed URL would resolve and encode parts of them, which a
 * signature may cover. If they hold what HTTP cannot carry, the parsed form is taken.
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
  for await (const chunk of response) if (text.length < MAX_ANSWER) text += chunk;
  return text;
}

/** A content as pieces. */
function toChunks(data: UploadContent['data']): object {
  if (data instanceof Blob) return slicesOf(data, CHUNK);
  if (ArrayBuffer.isView(data)) return subarraysOf(data);
  return 'file' in data ? chunksOf(data.file) : data;
}

async function* subarraysOf(bytes: Uint8Array) {
  for (let at = 0; at < bytes.byteLength; at += CHUNK) yield bytes.subarray(at, at + CHUNK);
}

/** Twice as fast as `createReadStream`, which makes a new buffer for each chunk. */
async function* chunksOf(path: string | URL) {
  const file = await open(path);
  try {
    // One is filled while the other is sent.
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
