import { randomUUID } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
// By their modules, not by name: so tests and monitors that put their own `request` there see it.
import http, { type ClientRequest, type IncomingMessage } from 'node:http';
import https from 'node:https';
import { finished, Readable } from 'node:stream';
import type { ReadableStream as WebStream } from 'node:stream/web';
import { isUint8Array } from 'node:util/types';
import { LONGEST_TIMER } from '../../internal/options.ts';
import {
  assertLength,
  toMultipart,
  type UploadAnswer,
  type UploadContent,
  type UploadForm,
} from '../upload-form.ts';

/** Bytes that are read at once: few calls for a large file. */
const CHUNK = 512 * 1024;

/** One is sent, one waits, one is read. */
const BUFFERS = 3;

/** Bytes that go to the socket at once. */
const PART = 256 * 1024;

/** Longest answer that is kept, in characters; an XML error is far shorter. */
const MAX_ANSWER = 65_536;

/** Sends a form over `node:http`: its content streamed, with an exact length where that is known. */
export function sendForm(form: UploadForm): Promise<UploadAnswer> {
  return new Promise((resolve, reject) => {
    const { content, signal, idle } = form;
    signal.throwIfAborted();
    const { contentType, head, tail } = toMultipart(form, randomUUID());
    const { stream: source, release } = toSource(content.data);
    const request = openRequest(form, contentType, head.length + tail.length);
    let sent = 0;
    let isWhole = false;
    let isAnswered = false;
    let connecting: ReturnType<typeof setTimeout> | undefined;

    const stop = (error: unknown) => {
      reject(error);
      close();
    };
    const onAbort = () => stop(signal.reason);
    const close = () => {
      clearTimeout(connecting);
      signal.removeEventListener('abort', onAbort);
      source.destroy();
      request.destroy();
    };
    /** What throws in a listener would end the process. */
    const guarded = (act: () => void) => {
      try {
        act();
      } catch (error) {
        stop(error);
      }
    };
    signal.addEventListener('abort', onAbort);

    source.on('data', (chunk: unknown) =>
      guarded(() => {
        if (typeof chunk !== 'string' && !isUint8Array(chunk)) {
          throw new TypeError('The stream gives other things than bytes and texts.');
        }
        sent += Buffer.byteLength(chunk);
        assertLength(content, sent, false);
        const end = sent;
        const onSent = (error?: Error | null) => {
          release?.(chunk as Uint8Array);
          if (!error && !isAnswered) guarded(() => form.report?.(end));
        };
        if (!request.write(chunk, onSent)) source.pause();
      }),
    );
    finished(source, { writable: false }, (error) => {
      if (isAnswered) return;
      if (error) return stop(error);
      guarded(() => assertLength(content, sent, true));
      isWhole = true;
      request.end(tail);
    });
    request.on('drain', () => source.resume());
    request.on('error', (error) => stop(form.fail(error)));
    request.on('close', () => {
      if (!isAnswered) stop(form.fail(new Error('The connection was closed.')));
    });
    if (idle) {
      const ms = Math.min(idle, LONGEST_TIMER);
      const onIdle = () => stop(form.fail());
      // That of a socket begins when it is connected.
      connecting = setTimeout(onIdle, ms);
      request.setTimeout(ms, onIdle);
    }
    request.on('response', (response) => {
      isAnswered = true;
      // An answer before the end is a refusal: nothing more need be sent.
      if (!isWhole) source.destroy();
      readText(response).then(
        (text) => {
          const status = response.statusCode ?? 0;
          if (!isWhole && status < 300) {
            return stop(form.fail(new Error('The answer came before the end of the file.')));
          }
          if (isWhole) guarded(() => form.report?.(sent));
          const headers = new Headers(response.headers as Record<string, string>);
          resolve({ status, text, headers });
          signal.removeEventListener('abort', onAbort);
          if (!isWhole) close();
        },
        (error) => stop(form.fail(error)),
      );
    });
    request.write(head, () => clearTimeout(connecting));
  });
}

function openRequest(
  { url, content, agent }: UploadForm,
  contentType: string,
  rest: number,
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
      ...(size !== undefined && { 'Content-Length': size + rest }),
    },
  });
}

/**
 * Path and query of an address as they stand there. "Clients post to the returned `url` verbatim, its
 * path and query included" (D2): a parsed URL would resolve and encode parts of them, which a
 * signature may cover. Where they hold what HTTP cannot carry, the parsed form is taken.
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

/** A source of an upload. */
interface Source {
  readonly stream: Readable;
  /** Takes back a chunk that is sent: its memory is used again. */
  readonly release?: (chunk: Uint8Array) => void;
}

/** A content as a stream of Node, read no faster than it is sent. */
function toSource(data: UploadContent['data']): Source {
  if (isUint8Array(data)) return { stream: Readable.from(slices(data)) };
  if (data instanceof Blob) return { stream: Readable.from(blobSlices(data)) };
  if (data instanceof Readable) return { stream: data };
  if (data instanceof ReadableStream) return { stream: Readable.fromWeb(data as WebStream) };
  if ('file' in data) return openFile(data.file);
  return { stream: Readable.from(data as AsyncIterable<unknown>) };
}

function* slices(bytes: Uint8Array) {
  for (let at = 0; at < bytes.byteLength; at += PART) yield bytes.subarray(at, at + PART);
}

/** By slices, for the stream of a Blob may give all of it at once. */
async function* blobSlices(blob: Blob) {
  for (let at = 0; at < blob.size; at += PART) {
    yield new Uint8Array(await blob.slice(at, at + PART).arrayBuffer());
  }
}

/**
 * Reads a file into a few buffers that are used again and again: twice as fast as `createReadStream`,
 * which makes a new one for each chunk, and with half the memory.
 */
function openFile(path: string | URL): Source {
  const free = Array.from({ length: BUFFERS }, () => Buffer.allocUnsafeSlow(CHUNK));
  let file: FileHandle | undefined;
  let isWaiting = false;

  const next = async () => {
    const buffer = free.pop();
    isWaiting = !buffer;
    if (!buffer || !file) return;
    const { bytesRead } = await file.read(buffer, 0, CHUNK, null);
    stream.push(bytesRead > 0 ? buffer.subarray(0, bytesRead) : null);
  };
  const read = () => {
    next().catch((error) => stream.destroy(error));
  };
  const stream = new Readable({
    highWaterMark: CHUNK,
    construct(done) {
      open(path).then((opened) => {
        file = opened;
        done();
      }, done);
    },
    read,
    destroy(error, done) {
      (file?.close() ?? Promise.resolve()).then(() => done(error), done);
    },
  });
  return {
    stream,
    release(chunk) {
      free.push(Buffer.from(chunk.buffer as ArrayBuffer));
      if (isWaiting) read();
    },
  };
}
