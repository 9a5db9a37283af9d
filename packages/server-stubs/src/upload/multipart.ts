import type { EventEmitter } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import type { BusboyInstance } from '@fastify/busboy';
import { HttpError, malformed, tooMany } from '../runtime/faults.ts';
import { charsetOf } from '../runtime/media-types.ts';
import type { FieldPart, FileHead } from './upload-form.ts';

interface FilePart extends FileHead {
  /** Content of the file. Anything left unread is discarded when you request the next part. */
  readonly body: Readable;
}

type Part = FieldPart | FilePart;

const LIMITS = { fields: 100, files: 10, fieldSize: 64 * 1024 };

/** A token (RFC 9110, section 5.6.2), as which every charset can be written. */
const TOKEN = /^[\w!#$%&'*+.^`|~-]+$/;

/**
 * The parts of a form in the order in which they arrive, unbuffered and with backpressure. Iterating throws a
 * `HttpError` if the form is malformed or exceeds a limit. Nothing is read until the first part is requested.
 */
export class Form {
  /** The error that ended the form, which may explain why a handler failed. */
  failure: HttpError | undefined;
  readonly #request: IncomingMessage;
  readonly #source: Readable;
  readonly #queue: Part[] = [];
  readonly #files = new Set<Readable>();
  #isFinished = false;
  #wake = () => {};

  /** @param source the body of the request, limited in size */
  constructor(request: IncomingMessage, source: Readable) {
    this.#request = request;
    this.#source = source;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Part, void, undefined> {
    const request = this.#request;
    const form = await this.#createBusboy();
    this.#listen(form);
    const onClose = () => {
      if (!request.complete) this.#fail(new Error('the client disconnected'));
    };
    this.#source.on('error', this.#fail);
    request.once('close', onClose);
    this.#source.pipe(form);
    let file: Readable | undefined;
    try {
      for (;;) {
        // Before the parts that have arrived, or the response would depend on how the bytes arrive.
        if (this.failure) throw this.failure;
        const part = this.#queue.shift();
        if (part !== undefined) {
          file = part.kind === 'file' ? part.body : undefined;
          yield part;
          file?.resume();
        } else if (this.#isFinished) {
          return;
        } else {
          await new Promise<void>((resolve) => {
            this.#wake = resolve;
          });
        }
      }
    } finally {
      request.off('close', onClose);
      this.#source.unpipe(form);
      if (!this.#isFinished) request.pause();
      file?.destroy();
    }
  }

  readonly #fail = (error: unknown) => {
    this.failure ??= toHttpError(error);
    // Readers of a file must learn that its end will never arrive.
    for (const file of this.#files) file.destroy(this.failure);
    this.#wake();
  };

  #add(part: Part): void {
    this.#queue.push(part);
    this.#wake();
  }

  async #createBusboy(): Promise<BusboyInstance> {
    // Loaded with the first form, because most servers never receive one and should start fast.
    const { Busboy } = await import('@fastify/busboy');
    const contentType = this.#request.headers['content-type'] ?? '';
    try {
      return new Busboy({ headers: { 'content-type': contentType }, limits: LIMITS });
    } catch (error) {
      this.failure = toHttpError(error);
      throw this.failure;
    }
  }

  #listen(form: BusboyInstance): void {
    const refuse = (what: string, max: number) => this.#fail(tooMany(what, max));
    form.on('field', (name, value, _nameTruncated, truncated) => {
      if (truncated) refuse(`bytes in field ${name}`, LIMITS.fieldSize);
      else if (name === undefined) this.#fail(new Error('a field has no name'));
      else this.#add({ kind: 'field', name, value });
    });
    let charset: string | undefined;
    // Busboy does not report the charset of a file, but its parser emits the headers of each part first.
    const internals = form as unknown as { _parser?: { parser?: EventEmitter } };
    internals._parser?.parser?.prependListener('part', (part: EventEmitter) => {
      part.on('header', (headers: Readonly<Record<string, readonly string[]>>) => {
        charset = charsetOf(headers['content-type']?.[0] ?? '');
      });
    });
    form.on('file', (name, body, filename, _encoding, mediaType) => {
      // A malformed form fails its file. The error is reported even if nobody reads that file.
      body.on('error', this.#fail);
      this.#files.add(body);
      body.once('close', () => this.#files.delete(body));
      const type = { mediaType, ...(charset !== undefined && TOKEN.test(charset) && { charset }) };
      this.#add({ kind: 'file', name: name ?? '', filename: filename ?? '', ...type, body });
    });
    form.on('fieldsLimit', () => refuse('fields', LIMITS.fields));
    form.on('filesLimit', () => refuse('files', LIMITS.files));
    form.on('error', this.#fail);
    form.on('finish', () => {
      this.#isFinished = true;
      this.#wake();
    });
  }
}

function toHttpError(error: unknown): HttpError {
  if (error instanceof HttpError) return error;
  const reason = error instanceof Error ? error.message : String(error);
  return malformed(`The form cannot be read: ${reason}.`, error);
}
