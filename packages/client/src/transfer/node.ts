import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { open, realpath, rename, rm, stat } from 'node:fs/promises';
// The modules and not their names, so that tests and monitoring tools can replace `request`.
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { untilAborted } from '../budget.ts';
import { invalid } from '../checks.ts';
import { optionsError } from '../errors.ts';
import { isStream } from '../streams.ts';
import type { UploadContent, UploadForm, UploadResponse } from './form.ts';
import { FILE_FIELD, MAX_RESPONSE, readStream } from './form.ts';

/** Bytes to read from a file at a time. */
const CHUNK = 524_288;

/** Bytes to send at a time. If the target takes longer than the idle limit to accept a piece, the upload fails. */
const PIECE = 65_536;

function toLocalPath(file: string | URL): string {
  try {
    return file && typeof file === 'string' ? file : fileURLToPath(file);
  } catch {
    throw invalid('file', 'a path or a file: URL', file);
  }
}

export async function fileSize(file: string | URL): Promise<number> {
  const info = await stat(toLocalPath(file));
  if (info.isFile()) return info.size;
  throw optionsError(`${String(file)} is not a file.`);
}

/**
 * Writes a file. The bytes go to a temporary file in the same folder, which then replaces the file or the target of a
 * link, so that it is never incomplete. Devices and pipes are written directly.
 */
export async function saveFile(
  chunks: AsyncIterable<Uint8Array>,
  file: string | URL,
  signal: AbortSignal,
): Promise<void> {
  const path = toLocalPath(file);
  const existing = await stat(path).catch(() => undefined);
  if (existing && !existing.isFile()) {
    // A pipe that is not read blocks, and its stream waits even after the abort.
    return untilAborted(pipeline(chunks, createWriteStream(path), { signal }), signal);
  }
  const target = existing ? await realpath(path) : path;
  const temporary = join(dirname(target), `.${randomUUID()}.part`);
  const handle = await open(temporary, 'wx', existing?.mode);
  try {
    // Restores what the umask removed, if the file system supports modes.
    if (existing) await handle.chmod(existing.mode).catch(() => {});
    await pipeline(chunks, handle.createWriteStream({ flush: true }));
    await rename(temporary, target);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/**
 * Sends a form over `node:http`: with `fetch`, 1 GiB takes 1 GB of memory and ten times as long. Streams the content,
 * and reads each chunk while the previous one is sent. `watch` limits each write, of which the first one includes the
 * connection, and the response, but not the wait for the content.
 */
export async function sendForm(form: UploadForm): Promise<UploadResponse> {
  const { content, watch } = form;
  const { type, head, tail } = toMultipart(form);
  const request = openRequest(form, type, head.length + tail.length);
  const chunks = readStream(toChunks(content.data), content, watch.signal);

  /** Sends bytes. Resolves to `false` if the server accepts no more data; its response shows why. */
  const write = (bytes: Uint8Array) => {
    watch.restart();
    return new Promise<boolean>((resolve) => {
      request.write(bytes, (error) => {
        watch.pause();
        resolve(!error);
      });
    });
  };

  let sent = 0;
  const writeContent = async (bytes: Uint8Array) => {
    for (let at = 0; at < bytes.byteLength; at += PIECE) {
      const piece = bytes.subarray(at, at + PIECE);
      if (!(await write(piece))) return false;
      sent += piece.byteLength;
      form.report?.(sent);
    }
    return true;
  };

  let isComplete = false;
  const send = async () => {
    let writing = write(head);
    for (;;) {
      const [{ done, value }, isOpen] = await Promise.all([chunks.next(), writing]);
      if (!isOpen) return;
      if (done) break;
      writing = writeContent(value);
    }
    if (sent === 0) form.report?.(0);
    isComplete = true;
    if (!(await write(tail))) return;
    request.end();
    // A limit for the entire response, however slowly it arrives.
    watch.restart();
  };

  const receive = async (): Promise<UploadResponse> => {
    try {
      const [response] = (await once(request, 'response')) as [IncomingMessage];
      const { statusCode: status = 0, headers } = response;
      response.setEncoding('utf8');
      let text = '';
      for await (const chunk of response) {
        text += chunk;
        if (text.length >= MAX_RESPONSE) break;
      }
      return { status, text, headers: new Headers(headers as Record<string, string>) };
    } catch (error) {
      throw watch.toNetworkError(error);
    }
  };

  // Only errors of the content end the upload here. A broken connection is an error of the response.
  const failed = send().then(() => new Promise<never>(() => {}));
  const response = await Promise.race([failed, receive()]);
  // An early response means that the server rejected the upload, so the rest is not sent.
  const early = 'The server responded before the entire file was sent.';
  return isComplete ? response : { ...response, earlyError: watch.toNetworkError(early) };
}

/** Opens the request for a form. It ends when the signal aborts, at the latest when the caller stops `watch`. */
function openRequest({ url, content, context, watch }: UploadForm, type: string, overhead: number) {
  const { size, data } = content;
  const address = new URL(url);
  const { request: create } = address.protocol === 'https:' ? https : http;
  const request = create(address, {
    method: 'POST',
    path: toRequestTarget(url),
    // The server may be closing a connection that is kept alive, and a stream cannot be sent again.
    agent: (context.agent as http.Agent | undefined) ?? (isStream(data) ? false : undefined),
    headers: {
      'Content-Type': type,
      ...(size !== undefined && { 'Content-Length': size + overhead }),
    },
  });
  watch.signal.addEventListener('abort', () => request.destroy());
  // The response, or its absence, says more than a later error.
  request.on('error', () => {});
  request.on('upgrade', (_, socket) => {
    socket.destroy();
    request.emit('error', new Error('The server changed the protocol.'));
  });
  return request;
}

/**
 * Returns the path and query of a URL exactly as written, because a signature may cover them. The parsed form, with
 * its parts resolved and encoded, is used only if HTTP cannot carry the original.
 */
function toRequestTarget(url: string): string {
  const raw = /^[^:/?#]+:\/\/[^/?#]+(\/[!-"$-~]*)(?:#|$)/.exec(url)?.[1];
  if (raw !== undefined) return raw;
  const { pathname, search } = new URL(url);
  return pathname + search;
}

function toMultipart({ fields, fileName, content }: UploadForm) {
  const boundary = `berth-${randomUUID()}`;
  const part = (name: string, rest: string) =>
    `--${boundary}\r\nContent-Disposition: form-data; name="${escapeName(name)}"${rest}\r\n`;
  const values = fields.map(([name, value]) => `${part(name, '\r\n')}${value}\r\n`).join('');
  const type = content.type.replace(/[\r\n]+/g, ' ');
  const details = `; filename="${escapeName(fileName)}"\r\nContent-Type: ${type}\r\n`;
  return {
    type: `multipart/form-data; boundary=${boundary}`,
    head: Buffer.from(values + part(FILE_FIELD, details)),
    tail: Buffer.from(`\r\n--${boundary}--\r\n`),
  };
}

/** "Replace `\n` by `%0A`, `\r` by `%0D`, `"` by `%22`" (HTML, multipart form data); the rest is UTF-8. */
function escapeName(name: string): string {
  return name.replace(/[\r\n"]/g, encodeURIComponent);
}

function toChunks(data: UploadContent['data']): object {
  if (ArrayBuffer.isView(data)) return Readable.from([data]);
  if (isStream(data)) return data;
  return 'file' in data ? readFile(data.file) : sliceBlob(data);
}

/** Slices a Blob, because its own stream may return very little at a time, or everything. */
async function* sliceBlob(blob: Blob) {
  for (let at = 0; at < blob.size; at += CHUNK) {
    yield new Uint8Array(await blob.slice(at, at + CHUNK).arrayBuffer());
  }
}

/** Twice as fast as `createReadStream`, which allocates a buffer for each chunk. */
async function* readFile(path: string | URL) {
  const file = await open(path);
  try {
    // One buffer is filled while the other is sent.
    let [filling, sending] = [Buffer.allocUnsafeSlow(CHUNK), Buffer.allocUnsafeSlow(CHUNK)];
    for (;;) {
      const { bytesRead } = await file.read(filling, 0, CHUNK, null);
      if (bytesRead === 0) return;
      yield filling.subarray(0, bytesRead);
      [filling, sending] = [sending, filling];
    }
  } finally {
    await file.close();
  }
}
