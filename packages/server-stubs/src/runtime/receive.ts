import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Readable, Transform } from 'node:stream';
import type { Limits } from './options.ts';
import { decodeUtf8, PARSERS, readFields, selectRequestContent } from './portable/body.ts';
import type { Call } from './portable/call.ts';
import { charsetOf, findContent } from './portable/headers.ts';
import { bodyTooLarge, invalidBody, unsupported } from './portable/http-error.ts';
import type { ParsedInput } from './portable/parameters.ts';
import type { Content, RequestBody, Route } from './portable/route-table.ts';

type BodyInput = Pick<ParsedInput, 'contentType' | 'body'>;

/**
 * Reads the body of an operation, synchronously if it is not parsed. Never resolves if the client disconnects before the body is complete.
 *
 * @throws HttpError if it is not as documented
 */
export function readBody(
  { body: documented, passThrough }: Route,
  call: Call,
  limits: Limits,
): BodyInput | Promise<BodyInput> {
  if (passThrough) return { contentType: '*/*', body: openStream(call, limits) };
  if (documented === undefined) return { contentType: undefined, body: undefined };
  return readDocumentedBody(documented, call, limits);
}

async function readDocumentedBody(
  documented: RequestBody,
  call: Call,
  limits: Limits,
): Promise<BodyInput> {
  const { request } = call;
  const isSent = hasBody(request);
  const content = isSent ? selectSupported(documented, request) : findEmpty(documented, request);
  if (content === undefined) {
    return { contentType: undefined, body: readFields(undefined, documented) };
  }
  const { mediaType, kind } = content;
  const parse = PARSERS[kind];
  if (parse === undefined) return { contentType: mediaType, body: openStream(call, limits) };
  const text = isSent ? await readText(call, content, limits.bodyBytes) : '';
  const value = parse(text, content);
  const body = readFields(value, documented, content);
  return { contentType: value === undefined ? undefined : mediaType, body };
}

/** The media type of an empty body, if the body is required. Text, forms and bytes may be empty. */
function findEmpty({ required, content }: RequestBody, { headers }: IncomingMessage) {
  const type = headers['content-type'];
  return required && type !== undefined ? findContent(content, type) : undefined;
}

/** RFC 9112, section 6.3. */
export function hasBody({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

const UTF_8_NAMES = new Set([undefined, 'utf-8', 'utf8', 'us-ascii', 'ascii']);

function selectSupported({ content }: RequestBody, request: IncomingMessage): Content {
  const { 'content-encoding': coding = 'identity', 'content-type': type } = request.headers;
  // If other middleware has read the body, it has also decoded it.
  if (request.readableDidRead) return selectRequestContent(content, type);
  if (coding.toLowerCase() !== 'identity') {
    // RFC 9110, section 15.5.16: the response to an unsupported coding lists the supported ones.
    const message = `The Content-Encoding ${coding} is not supported: send the body without it.`;
    throw unsupported(message, { 'accept-encoding': 'identity' });
  }
  const found = selectRequestContent(content, type);
  const charset = charsetOf(type ?? '');
  if (PARSERS[found.kind] !== undefined && !UTF_8_NAMES.has(charset)) {
    throw unsupported(`The charset ${charset} is not supported: send UTF-8.`, {});
  }
  return found;
}

function assertReadable({ headers }: IncomingMessage, maxBytes: number): void {
  // Node.js only decodes chunks, and a service would not learn about another coding.
  if (!/^chunked$/i.test(headers['transfer-encoding'] ?? 'chunked')) {
    throw invalidBody(
      'The Transfer-Encoding is not supported: send chunks without another coding.',
    );
  }
  if (Number(headers['content-length'] ?? 0) > maxBytes) throw bodyTooLarge(maxBytes);
}

async function readText(call: Call, { kind }: Content, maxBytes: number): Promise<string> {
  const request: IncomingMessage & { readonly body?: unknown } = call.request;
  assertReadable(request, maxBytes);
  call.sendContinue();
  if (!request.readableDidRead) return decodeUtf8(await readBytes(request, maxBytes));
  const { body } = request;
  if (Buffer.isBuffer(body)) return decodeUtf8(body);
  // After `express.json()`, which does not check what is parsed. Parsed forms may lack fields, so forms need the text.
  if (kind === 'json' && body !== undefined) return JSON.stringify(body);
  if (typeof body === 'string') return body;
  throw alreadyRead(request);
}

/** Fails at the first byte beyond `maxBytes`, leaving the rest unread. */
function readBytes(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const onData = (chunk: Buffer) => {
      chunks.push(chunk);
      size += chunk.length;
      if (size <= maxBytes) return;
      request.off('data', onData).off('end', onEnd).pause();
      reject(bodyTooLarge(maxBytes));
    };
    const onEnd = () =>
      resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks));
    request.on('data', onData).on('end', onEnd);
  });
}

function openStream(call: Call, { streamBytes: maxBytes }: Limits): Readable {
  const { request } = call;
  if (!hasBody(request)) return request;
  assertReadable(request, maxBytes);
  if (request.readableDidRead) throw alreadyRead(request);
  // Node.js ends any other body at its `Content-Length`, which is within the limit.
  const needsLimiter = maxBytes < Infinity && request.headers['transfer-encoding'] !== undefined;
  if (!needsLimiter && !call.awaitsContinue) return request;
  let isOpen = false;
  let size = 0;
  const limiter = new Transform({
    // Send `100 Continue` only on the first read: if the call is rejected first, the client need not send the body.
    read(count) {
      if (!isOpen) {
        isOpen = true;
        call.sendContinue();
        // The request must outlive the limiter, so that a response can still be sent.
        request.pipe(limiter);
      }
      Transform.prototype._read.call(limiter, count);
    },
    transform(chunk: Buffer, _encoding, callback) {
      size += chunk.length;
      if (size > maxBytes) callback(bodyTooLarge(maxBytes));
      else callback(null, chunk);
    },
  });
  // Readers get the error. A handler that does not read must not crash the process.
  limiter.on('error', () => {});
  request.once('close', () => {
    if (!request.complete) limiter.destroy(toDisconnectError());
  });
  return limiter;
}

/** Named as in Node, so that it is not mistaken for an error of the contract. */
export function toDisconnectError(): Error {
  return Object.assign(new Error('The client disconnected.'), { code: 'ECONNRESET' });
}

function alreadyRead({ headers }: IncomingMessage): Error {
  return new Error(
    `Other middleware has already read the body (${headers['content-type']}): mount the router before it.`,
  );
}

/** How much of an unread body is read after the response, and for how long, before the connection is closed. */
const DRAIN_BYTES = 16 * 1024 * 1024;
const DRAIN_MILLISECONDS = 2000;

/**
 * Reads what the client still sends after the response. Data that arrives after a close would reset the connection, and
 * the client may then never see the response (RFC 9112, section 9.6).
 */
export function drainAfter(response: ServerResponse): void {
  const { req: request } = response;
  if (request.complete || !hasBody(request)) return;
  // Before Node's own listener, which would read an untouched body, with no limit.
  response.prependOnceListener('finish', () => {
    // Streams that destroy a request, such as a `for await` that stops early, remove its socket.
    const { socket } = response;
    const close = () => {
      if (!request.complete) socket?.destroy();
    };
    const timer = setTimeout(close, DRAIN_MILLISECONDS).unref();
    let size = 0;
    request.unpipe();
    request
      .once('end', () => clearTimeout(timer))
      .on('data', (chunk: Buffer) => {
        size += chunk.length;
        if (size > DRAIN_BYTES) close();
      });
    // An earlier reader may have paused it.
    request.resume();
  });
}
