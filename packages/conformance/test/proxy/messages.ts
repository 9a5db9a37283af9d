import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { fromRawHeaders, isNamed, readAll } from '../../src/http/exchange.ts';

// biome-ignore lint/suspicious/noExplicitAny: mutants change any JSON
export type Json = any;

/** A message's headers, which can be changed in place. Their order and case are kept. */
export class Headers {
  list: [name: string, value: string][];

  constructor(list: readonly (readonly [string, string])[] = []) {
    this.list = list.map(([name, value]) => [name, value]);
  }

  /** Returns all values joined by `, `; `undefined` if there are none. */
  get(name: string): string | undefined {
    const values = this.all(name);
    return values.length === 0 ? undefined : values.join(', ');
  }

  all(name: string): string[] {
    return readAll(this.list, name);
  }

  set(name: string, value: string): void {
    this.remove(name);
    this.add(name, value);
  }

  add(name: string, value: string): void {
    this.list.push([name, value]);
  }

  remove(name: string): void {
    this.list = this.list.filter(([key]) => !isNamed(key, name));
  }
}

class HttpMessage {
  headers: Headers;
  body: Buffer;

  constructor(headers: Headers | Record<string, string>, body: Buffer | string) {
    this.headers = headers instanceof Headers ? headers : new Headers(Object.entries(headers));
    this.body = Buffer.from(body);
  }

  get json(): Json {
    try {
      return JSON.parse(this.body.toString());
    } catch {
      return undefined;
    }
  }

  set json(value: unknown) {
    this.body = Buffer.from(JSON.stringify(value));
  }
}

export class MutatedRequest extends HttpMessage {
  method: string;
  /** Path and query as sent. */
  target: string;
  /** The body, in the chunks that arrived. */
  pieces: readonly Buffer[] = [];
  /** The caller disconnected before the end of the body, so the request is not forwarded. */
  isBroken = false;
  /** Identifies the connection: the same object for all calls on it. */
  connection: object = {};

  constructor(
    method: string,
    target: string,
    headers: Headers | Record<string, string>,
    body: Buffer | string = '',
  ) {
    super(headers, body);
    this.method = method;
    this.target = target;
  }

  get path(): string {
    return this.target.split('?', 1)[0] ?? '';
  }

  /** Query without `?`; empty if there is none. */
  get query(): string {
    return this.target.slice(this.path.length + 1);
  }

  get isGateway(): boolean {
    return this.target.startsWith('/v1/cloudrun/');
  }

  get isHandshake(): boolean {
    return this.headers.get('upgrade')?.toLowerCase() === 'websocket';
  }

  get service(): string | undefined {
    return this.isGateway ? this.path.split('/')[3] : undefined;
  }

  /** The operation of a storage call: `batchDelete`. */
  get operation(): string | undefined {
    return this.isGateway ? undefined : /\/storages:(\w+)$/.exec(this.path)?.[1];
  }

  /** A form for the upload target, complete or not. */
  get isUpload(): boolean {
    return this.method === 'POST' && !this.isGateway && !this.path.startsWith('/api/');
  }

  /** A GET for a download link. */
  get isDownload(): boolean {
    return this.method === 'GET' && !this.isGateway && !this.path.startsWith('/api/');
  }
}

export class MutatedResponse extends HttpMessage {
  status: number;
  /** Headers of a 103 that precedes the response. */
  early?: Record<string, string>;
  /** Send the body in chunks of this size and without `Content-Length`. */
  chunkBytes?: number;

  constructor(
    status: number,
    headers: Headers | Record<string, string> = {},
    body: Buffer | string = '',
  ) {
    super(headers, body);
    this.status = status;
  }
}

/** A WebSocket frame (RFC 6455, section 5.2), unmasked, or a piece of an event stream. */
export interface Message {
  from: 'caller' | 'service';
  data: Buffer;
  /** Only a frame has these. */
  opcode?: number;
  fin?: boolean;
}

/** What changes or replaces messages. A message without a hook is relayed unchanged. */
export interface Hooks {
  /**
   * Called with a request before it reaches the server, with its complete body; changes are forwarded. If it
   * returns a MutatedResponse, that replaces the server's response and `response` is not called. If it returns a
   * function, that function takes over the connection.
   */
  request?: (request: MutatedRequest) => unknown;
  /**
   * Called with a response before it reaches the caller, also with a 101. It has the complete body, except for event
   * streams.
   */
  response?: (response: MutatedResponse, request: MutatedRequest) => unknown;
  /** Called with each event stream and each direction of a WebSocket; the result is sent instead. */
  messages?: (
    messages: AsyncIterable<Message>,
    request: MutatedRequest,
    from: Message['from'],
  ) => AsyncIterable<Message>;
}

/** Takes over a connection, to send something that is not HTTP, or nothing. */
export type TakeOver = (socket: Socket) => void;

export async function toRequest(incoming: IncomingMessage): Promise<MutatedRequest> {
  const { method = 'GET', url = '/', socket } = incoming;
  const pieces: Buffer[] = [];
  const request = new MutatedRequest(method, url, toHeaders(incoming));
  const body = request.isHandshake ? [] : incoming;
  try {
    for await (const piece of body) pieces.push(piece);
  } catch {
    request.isBroken = true;
  }
  return Object.assign(request, { connection: socket, pieces, body: Buffer.concat(pieces) });
}

export const toHeaders = ({ rawHeaders }: IncomingMessage) =>
  new Headers(fromRawHeaders(rawHeaders));

export async function toResponse(message: IncomingMessage): Promise<MutatedResponse> {
  const body = Buffer.concat(await message.toArray());
  return new MutatedResponse(message.statusCode ?? 0, toHeaders(message), body);
}
