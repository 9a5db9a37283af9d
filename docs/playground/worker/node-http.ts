import { Readable, Writable } from 'node:stream';

/** Statuses whose responses have no body (Fetch Standard, "null body status"). */
const BODILESS = new Set([204, 205, 304]);

export const STATUS_CODES: Record<string, string> = {};

/** A request of the page, as the routers expect one from `node:http`. */
export class IncomingMessage extends Readable {
  readonly httpVersionMajor = 1;
  readonly socket = null;
  readonly headers: Record<string, string>;
  readonly rawHeaders: string[];
  readonly method: string;
  readonly url: string;
  complete = false;
  readonly #body: Uint8Array;

  constructor(request: Request, url: string, body: Uint8Array) {
    super();
    this.method = request.method;
    this.url = url;
    this.#body = body;
    // A worker does not see the headers that the browser adds when it sends a request.
    this.headers = { ...Object.fromEntries(request.headers), host: 'localhost' };
    if (request.method === 'POST') this.headers['content-length'] = String(body.length);
    this.rawHeaders = Object.entries(this.headers).flat();
  }

  override _read(): void {
    this.complete = true;
    if (this.#body.length > 0) this.push(Buffer.from(this.#body));
    this.push(null);
  }
}

/** A response of `node:http` that becomes one of the Fetch Standard. */
export class ServerResponse extends Writable {
  statusCode = 200;
  headersSent = false;
  readonly socket = null;
  /** Fulfilled when the head is written. The body streams, with backpressure. */
  readonly sent: Promise<Response>;
  readonly #headers = new Map<string, string | readonly string[]>();
  #send: (response: Response) => void = () => {};
  #body: ReadableStreamDefaultController<Uint8Array> | undefined;
  #resume: (() => void) | undefined;

  constructor() {
    super();
    this.sent = new Promise((resolve) => {
      this.#send = resolve;
    });
  }

  setHeader(name: string, value: string | number | readonly string[]): this {
    this.#headers.set(name.toLowerCase(), Array.isArray(value) ? value : String(value));
    return this;
  }

  getHeader(name: string): string | readonly string[] | undefined {
    return this.#headers.get(name.toLowerCase());
  }

  removeHeader(name: string): void {
    this.#headers.delete(name.toLowerCase());
  }

  getHeaderNames(): string[] {
    return [...this.#headers.keys()];
  }

  writeHead(
    status: number,
    given: Readonly<Record<string, string | readonly string[]>> = {},
  ): this {
    for (const [name, value] of Object.entries(given)) this.setHeader(name, value);
    const headers = new Headers();
    for (const [name, value] of this.#headers) {
      for (const one of Array.isArray(value) ? value : [value]) headers.append(name, one);
    }
    const stream = new ReadableStream<Uint8Array>({
      start: (controller) => {
        this.#body = controller;
      },
      pull: () => {
        const resume = this.#resume;
        this.#resume = undefined;
        resume?.();
      },
      cancel: () => {
        this.destroy();
      },
    });
    this.headersSent = true;
    this.#send(new Response(BODILESS.has(status) ? null : stream, { status, headers }));
    return this;
  }

  flushHeaders(): void {
    if (!this.headersSent) this.writeHead(this.statusCode);
  }

  override _write(chunk: Uint8Array, _encoding: string, callback: () => void): void {
    this.flushHeaders();
    if (chunk.length > 0) this.#body?.enqueue(new Uint8Array(chunk));
    if ((this.#body?.desiredSize ?? 1) > 0) callback();
    else this.#resume = callback;
  }

  override _final(callback: () => void): void {
    this.flushHeaders();
    this.#body?.close();
    callback();
  }

  override _destroy(_error: Error | null, callback: () => void): void {
    if (!this.headersSent) this.#send(Response.error());
    else if (!this.writableFinished) this.#body?.error(new TypeError('The connection was cut.'));
    callback();
  }
}
