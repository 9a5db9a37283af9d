/** Node's requests and responses, with what the log and faults need. */
import { isUtf8 } from 'node:buffer';
import { IncomingMessage, ServerResponse } from 'node:http';

const MAX_BODY_BYTES = 16 * 1024;

/** A copy of a request's body for the log. It outlives the request. */
class BodyCopy {
  #bytes: Buffer = Buffer.alloc(0);
  #size = 0;

  add(chunk: Uint8Array): void {
    this.#size += chunk.length;
    this.#bytes = Buffer.concat(this.#size > MAX_BODY_BYTES ? [] : [this.#bytes, chunk]);
  }

  /** Undefined for binary data, and for a body that was not kept completely. */
  get text(): string | undefined {
    if (this.#size === 0 || this.#size > MAX_BODY_BYTES) return undefined;
    return isUtf8(this.#bytes) ? this.#bytes.toString() : undefined;
  }
}

/** An incoming request. It copies its body as Node delivers it, which may be before its call begins. */
export class MockRequest extends IncomingMessage {
  readonly bodyCopy = new BodyCopy();

  override push(chunk: Buffer | null, encoding?: BufferEncoding): boolean {
    if (chunk !== null) this.bodyCopy.add(chunk);
    return super.push(chunk, encoding);
  }
}

/** A change to the body of one response. */
export interface BodyChange {
  /** Whether the length changes. `Content-Length` is then not sent. */
  readonly changesLength?: true;
  /** Returns what is sent instead of a chunk. The last chunk may be empty. After a cut, the connection is closed. */
  change(chunk: Buffer, isLast: boolean): { readonly bytes: Buffer; readonly isCut?: boolean };
}

/** A response whose body faults can change. */
export class MockResponse extends ServerResponse {
  readonly #changes = new Map<BodyChange, () => boolean>();
  #isCut = false;

  /**
   * Changes the body. Changes are applied in the order in which they are added.
   *
   * @param begin called before a chunk is changed. If it returns false, the change is dropped
   */
  changeBody(change: BodyChange, begin: () => boolean): void {
    this.#changes.set(change, begin);
  }

  /** Nothing in the mock passes a status message. `getHeaders` also returns these headers. */
  override writeHead(status: number, headers?: unknown): this {
    for (const [name, value] of Object.entries(headers ?? {})) this.setHeader(name, value);
    const changesLength = this.#changes.keys().some((change) => change.changesLength);
    if (changesLength) this.removeHeader('content-length');
    return super.writeHead(status);
  }

  override write(chunk: string | Uint8Array, encoding?: unknown, callback?: unknown): boolean {
    if (this.#changes.size > 0) return this.#send(chunk, encoding, false);
    return super.write(chunk, encoding as BufferEncoding, callback as () => void);
  }

  override end(chunk?: unknown, encoding?: unknown, callback?: unknown): this {
    if (this.#changes.size === 0 || this.writableEnded) {
      return super.end(chunk, encoding as BufferEncoding, callback as () => void);
    }
    this.#send((chunk ?? '') as string | Uint8Array, encoding, true);
    return this;
  }

  /** Sends a changed chunk. Node and the mock pass no callbacks. */
  #send(chunk: string | Uint8Array, encoding: unknown, isLast: boolean): boolean {
    // Nothing follows a cut, as if the connection were slow.
    if (this.#isCut) return false;
    let bytes =
      typeof chunk === 'string'
        ? Buffer.from(chunk, encoding as BufferEncoding)
        : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    for (const [change, begin] of this.#changes) {
      const changed = change.change(bytes, isLast || this.#isCut);
      if (!changed.isCut && changed.bytes.equals(bytes)) continue;
      if (begin()) {
        bytes = changed.bytes as typeof bytes;
        this.#isCut ||= changed.isCut === true;
      } else this.#changes.delete(change);
    }
    if (this.#isCut) {
      super.write(bytes, () => this.socket?.destroySoon());
      return false;
    }
    if (!isLast) return super.write(bytes);
    super.end(bytes);
    return true;
  }
}
