import type { IncomingMessage, ServerResponse } from 'node:http';
// biome-ignore lint/suspicious/noExplicitAny: mutants change whatever is there
export type Json = any;

/** Headers of a message on its way, changed in place; the order and case of the wire are kept. */
export class Headers {
  list: [name: string, value: string][];

  constructor(list: readonly (readonly [string, string])[] = []) {
    this.list = list.map(([name, value]) => [name, value]);
  }

  /** All values joined by `, `; `undefined` without any. */
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
  /** The body in the pieces that it came in. */
  pieces: readonly Buffer[] = [];

  constructor(method: string, target: string, headers: Headers, body: Buffer) {
    this.method = method;
    this.target = target;
    this.headers = headers;
    this.body = body;
  }

  get path(): string {
    return this.target.split('?', 1)[0] ?? '';
  }

  /** Query without `?`; empty without one. */
  get query(): string {
    return this.target.slice(this.path.length + 1);
  }

  /** A call of a hosted service. */
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

  /** A GET of a download link. */
  get isDownload(): boolean {
    return this.method === 'GET' && !this.isGateway && !this.path.startsWith('/api/');
  }

  /** The body as JSON; `undefined` where it is none. */
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
  return new MutatedRequest(method, url, toHeaders(incoming), Buffer.alloc(0));
}

export function toHeaders({ rawHeaders }: IncomingMessage): Headers {
  return new Headers(
    rawHeaders.flatMap((name, index) =>
      index % 2 === 0 ? [[name, rawHeaders[index + 1] ?? ''] as const] : [],
    ),
  );
}

/** Where a mutant takes part. Without a hook everything passes unchanged, streamed. */
export interface Hooks {
  /**
   * A request before it reaches the server, its body read completely; changes are passed on. A MutatedResponse
   * that is returned, or promised, replaces the server's; `response` is not called for it.
   */
  request?: (request: MutatedRequest) => unknown;
  /** A response before it reaches the caller, its body read completely, except for event streams. */
  response?: (response: MutatedResponse, request: MutatedRequest) => void | Promise<void>;
  /** The caller broke off; the body is what had come. Only with `request` or `broken`. */
  broken?: (request: MutatedRequest) => void | Promise<void>;
  /** Hold an event stream back until it ends, and then call `response` with its complete body. */
  buffersEvents?: boolean;
  /** Let request bodies through as they come; `request` then sees an empty body and cannot change it. */
  streamsRequests?: boolean;
  /** Before the head of a response is written: for 1xx responses and the reason phrase. */
  early?: (outgoing: ServerResponse) => void;
  /** Send bodies in chunks of so many bytes and without a length, event streams too. */
  chunkBytes?: number;
  /** A handshake before it reaches the server; a MutatedResponse that is returned refuses it. */
  upgrade?: (request: MutatedRequest) => unknown;
  /** Headers of the 101 before they reach the caller; for its body there is no use. */
  upgraded?: (response: MutatedResponse, request: MutatedRequest) => void;
  /** A WebSocket message on its way; `undefined` drops it. */
  message?: (message: SocketMessage) => SocketMessage | SocketMessage[] | undefined;
  /** The end of a WebSocket on its way to the other side. */
  close?: (end: SocketEnd) => SocketEnd;
}

export interface SocketMessage {
  from: 'caller' | 'service';
  binary: boolean;
  data: Buffer;
  /** In a fragment of a message: whether it is the last. Without it the message is whole. */
  fin?: boolean;
}

export interface SocketEnd {
  from: 'caller' | 'service';
  code: number;
  reason: string;
}
