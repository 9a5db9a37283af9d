import { randomUUID } from 'node:crypto';
// By their modules, not by name: so tests and monitors that put their own `request` there see it.
import http, { type ClientRequest, type IncomingMessage } from 'node:http';
import https from 'node:https';
import { finished } from 'node:stream';
import { isUint8Array } from 'node:util/types';
import { LONGEST_TIMER } from '../../internal/options.ts';
import {
  assertLength,
  toMultipart,
  type UploadAnswer,
  type UploadForm,
} from '../../upload/upload-form.ts';

import { toRequestTarget } from './to-request-target.ts';
import { toSource } from './to-source.ts';

/** Longest answer that is kept, in characters; an XML error is far shorter. */
const MAX_ANSWER = 65_536;

/** Sends a form over `node:http`: its content streamed, with an exact length where that is known. */
export function sendForm(form: UploadForm): Promise<UploadAnswer> {
  return new Promise((resolve, reject) => {
    const { content, signal, idle } = form;
    signal.throwIfAborted();
    const { contentType, head, tail } = toMultipart(form, randomUUID());
    const { stream: source, release } = toSource(content.data);
    const request = open(form, contentType, head.length + tail.length);
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

function open(
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

async function readText(response: IncomingMessage): Promise<string> {
  response.setEncoding('utf8');
  let text = '';
  for await (const chunk of response) if (text.length < MAX_ANSWER) text += chunk;
  return text;
}
