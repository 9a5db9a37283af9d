import { type IncomingMessage, ServerResponse } from 'node:http';
import { KeptBytes } from './kept-bytes.ts';
import { MAX_KEPT, type RecordedRequest } from './recorded-request.ts';

type Chunk = string | Uint8Array;
// biome-ignore lint/suspicious/noExplicitAny: the overloads of Node
type Rest = any[];

/** An answer that remembers the beginning of its body, and tells the record of its call when it ends. */
export class RecordedResponse<
  Request extends IncomingMessage = IncomingMessage,
> extends ServerResponse<Request> {
  readonly kept = new KeptBytes();

  override write(chunk: Chunk, ...rest: Rest): boolean {
    this.#keep(chunk, rest[0]);
    return super.write(chunk, ...rest);
  }

  override end(...given: Rest): this {
    const [chunk, encoding] = given;
    if (chunk !== undefined && chunk !== null && typeof chunk !== 'function') {
      this.#keep(chunk, encoding);
    }
    super.end(...given);
    (this.req as unknown as RecordedRequest).record?.finish(this);
    return this;
  }

  #keep(chunk: Chunk, encoding: unknown): void {
    // Node drops the body of an answer to HEAD.
    if (this.req.method === 'HEAD') return;
    const known = typeof encoding === 'string' ? (encoding as BufferEncoding) : undefined;
    this.kept.add(chunk, known, MAX_KEPT);
  }
}
