import type { IncomingMessage, ServerResponse } from 'node:http';
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
    const wanted = name.toLowerCase();
    return this.list.filter(([key]) => key.toLowerCase() === wanted).map(([, value]) => value);
  }

  /** Replaces every value. */
  set(name: string, value: string): void {
    this.remove(name);
    this.add(name, value);
  }

  add(name: string, value: string): void {
    this.list.push([name, value]);
  }

  remove(name: string): void {
    const wanted = name.toLowerCase();
    this.list = this.list.filter(([key]) => key.toLowerCase() !== wanted);
  }
}

/** A request on its way to the server. */
export class MutatedRequest {
  method: string;
  /** Path and query as sent. */
  target: string;
  headers: Headers;
  body: Buffer;
  /** The body, in the chunks that arrived. */
  pieces: readonly Buffer[] = [];
  /** Stands for the connection on which it arrived: the same object for all calls on it. */
  connection: object = {};

  constructor(method: string, target: string, headers: Headers, body: Buffer) {
    this.method = method;
    this.target = target;
    this.headers = headers;
    this.body = body;
  }

  get path(): string {
    return this.target.split('?', 1)[0] ?? '';
  }

  /** Query without `?`; empty if there is none. */
  get query(): string {
    return this.target.slice(this.path.length + 1);
  }

  /** A call to a hosted service. */
  get isGateway(): boolean {
    return this.target.startsWith('/v1/cloudrun/');
  }

  /** Name of the hosted service. */
  get service(): string | undefined {
    return this.isGateway ? this.path.split('/')[3] : undefined;
  }

  /** The operation of a storage call: `batchDelete`. */
  get operation(): string | undefined {
    return this.isGateway ? undefined : /\/storages:(\w+)$/.exec(this.path)?.[1];
  }

  /** A form for the upload target. */
  get isUpload(): boolean {
    return this.method === 'POST' && !this.isGateway && !this.path.startsWith('/api/');
  }

  /** A GET for a download link. */
  get isDownload(): boolean {
    return this.method === 'GET' && !this.isGateway && !this.path.startsWith('/api/');
  }

  /** The body as JSON; `undefined` if it is not JSON. */
  get json(): Json {
    return parse(this.body);
  }

  set json(value: unknown) {
    this.body = Buffer.from(JSON.stringify(value));
  }
}

/** A response on its way to the caller. */
export class MutatedResponse {
  status: number;
  headers: Headers;
  body: Buffer;

  constructor(
    status: number,
    headers: Headers | Record<string, string> = {},
    body: Buffer | string = '',
  ) {
    this.status = status;
    this.headers = headers instanceof Headers ? headers : new Headers(Object.entries(headers));
    this.body = Buffer.from(body);
  }

  get json(): Json {
    return parse(this.body);
  }

  set json(value: unknown) {
    this.body = Buffer.from(JSON.stringify(value));
  }
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}

export function toRequest(incoming: IncomingMessage): MutatedRequest {
  const { method = 'GET', url = '/' } = incoming;
  const request = new MutatedRequest(method, url, toHeaders(incoming), Buffer.alloc(0));
  request.connection = incoming.socket;
  return request;
}

export async function toResponse(message: IncomingMessage): Promise<MutatedResponse> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk);
  return new MutatedResponse(message.statusCode ?? 0, toHeaders(message), Buffer.concat(chunks));
}

export function toHeaders({ rawHeaders }: IncomingMessage): Headers {
  return new Headers(
    rawHeaders.flatMap((name, index) =>
      index % 2 === 0 ? [[name, rawHeaders[index + 1] ?? ''] as const] : [],
    ),
  );
}

/** A mutant's hooks. A message without a hook is streamed unchanged. */
export interface Hooks {
  /**
   * Called with a request before it reaches the server, with its complete body; changes are forwarded. If it
   * returns a MutatedResponse or a promise of one, that replaces the server's response and `response` is not
   * called.
   */
  request?: (request: MutatedRequest) => unknown;
  /**
   * Called with a response before it reaches the caller, with its complete body except for event streams. The body of
   * a gateway request is empty unless there is a `request` hook.
   */
  response?: (response: MutatedResponse, request: MutatedRequest) => unknown;
  /** Called if the caller aborts; the body is what had arrived by then. */
  broken?: (request: MutatedRequest) => void | Promise<void>;
  /** Called with each event stream as it arrives from the server; its result is sent instead. */
  stream?: (pieces: AsyncIterable<Buffer>, request: MutatedRequest) => AsyncIterable<Buffer>;
  /** Buffer an event stream until it ends, and then call `response` with its complete body. */
  buffersEvents?: boolean;
  /** Stream request bodies; `request` then sees an empty body and cannot change it. */
  streamsRequests?: boolean;
  /** Called before a response head is written, for 1xx responses and the reason phrase. */
  early?: (outgoing: ServerResponse) => void;
  /** Send bodies, including event streams, in chunks of this size and without `Content-Length`. */
  chunkBytes?: number;
  /** Called with a handshake before it reaches the server; a returned MutatedResponse rejects it. */
  upgrade?: (request: MutatedRequest) => unknown;
  /** Called with the 101 before it reaches the caller; its body is ignored. */
  upgraded?: (response: MutatedResponse, request: MutatedRequest) => unknown;
  /** Called when a WebSocket is open, with a function that sends another frame to one of the sides. */
  joined?: (send: (frame: SocketFrame) => void) => void;
  /** Called with each frame of a WebSocket; returns the frames to send instead. */
  frames?: (frame: SocketFrame) => SocketFrame[];
}

/** A frame (RFC 6455, section 5.2), unmasked. */
export interface SocketFrame {
  from: 'caller' | 'service';
  opcode: number;
  fin: boolean;
  data: Buffer;
}
