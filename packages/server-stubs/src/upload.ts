import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { toWireProfile } from '@berth/spec/wire-profile';
import type { BusboyInstance } from '@fastify/busboy';
import { createCors } from './cors.ts';
import { Delimiters } from './delimiters.ts';
import { toContractError, UploadError } from './errors.ts';
import { LIMITS } from './generated/contract.gen.ts';
import { routes as standard } from './generated/storage.v2/routes.gen.ts';
import { type CommonOptions, toRouterOptions } from './router-options.ts';
import {
  type Call,
  createRouter,
  type HandlerResponse,
  hasResponse,
  type Input,
  type Router,
} from './runtime/index.ts';
import {
  addField,
  isFileField,
  malformedForm,
  missingFile,
  toFileType,
  toUploaded,
  toUploadFields,
  type UploadInput,
  type UploadResult,
} from './upload-form.ts';

export type { UploadInput, UploadResult } from './upload-form.ts';

/** Stores a file. To reject it, throw an `UploadError`, preferably before reading the content. */
export type UploadHandler = (
  input: UploadInput,
  call: Call,
) => UploadResult | Promise<UploadResult>;

/** Options of `createUploadRouter`. */
export interface UploadRouterOptions extends CommonOptions {
  /** Maximum file size in bytes. Larger files get `EntityTooLarge`. Default: 5 GiB (D27). */
  readonly fileBytes?: number;
}

/**
 * Creates the upload target: middleware for Express 4 and 5, and a `node:http` listener. It handles
 * `POST /`, so in Express, mount it at the path of the `url` that `getUploadMetaData` returns. Forms are
 * streamed and never buffered.
 *
 * @throws TypeError if options contradict each other
 *
 * @example
 * const router = createUploadRouter({
 *   uploadFile: async ({ key, signature, token, metaFileId, file }) => {
 *     assertGrant({ key, signature, token, metaFileId }); // throws UploadError('AccessDenied')
 *     return store.write(key, file); // { etag, location }
 *   },
 * });
 * app.use('/upload', router);
 */
export function createUploadRouter(
  { uploadFile }: { readonly uploadFile: UploadHandler },
  options: UploadRouterOptions = {},
): Router {
  const { fileBytes = LIMITS.uploadBytes, routes: table = standard } = options;
  const wireProfile = toWireProfile(options.wireProfile);
  const cors = createCors('upload', wireProfile, options.cors);

  async function handle({ body }: Input, call: Call): Promise<HandlerResponse> {
    const form = new UploadForm(call.request, body as Readable, fileBytes);
    try {
      const { fields, ...file } = await form.readToFile();
      const input = { ...toUploadFields(fields, call.request, wireProfile), ...file };
      return toUploaded(await uploadFile(input, call), input);
    } catch (error) {
      // If the form failed, that is why the handler failed.
      throw hasResponse(error) || call.signal.aborted ? error : (form.failure ?? error);
    } finally {
      form.stop();
    }
  }

  // The form contains the grant, so that the route has no security schemes.
  const routes = table.routes.filter(({ operationId }) => operationId === 'uploadFile');
  return createRouter(
    { ...table, securitySchemes: {}, routes },
    { uploadFile: handle },
    {
      ...toRouterOptions(options, cors, (error) => toContractError('upload', error)),
      requests: { streamBytes: fileBytes + LIMITS.uploadFormBytes, ...options.requests },
    },
  );
}

/** What a form has up to its file, whose content follows. */
type ReadForm = Pick<UploadInput, 'fields' | 'file' | 'filename' | 'contentType'>;

const FORM_LIMITS = { fields: 100, files: 10, fieldSize: 64 * 1024 };

/** Reads a form with its file as a stream. Everything after the file is ignored, but must be complete. */
class UploadForm {
  /** The error that ended the form, which may explain why a handler failed. */
  failure: unknown;
  readonly #request: IncomingMessage;
  readonly #source: Readable;
  readonly #fileBytes: number;
  readonly #fields = new Map<string, string>();
  readonly #found = Promise.withResolvers<ReadForm>();
  #file: FileContent | undefined;
  #isComplete = false;
  #stop = () => {};

  /** @param source the body of the request, limited in size */
  constructor(request: IncomingMessage, source: Readable, fileBytes: number) {
    this.#request = request;
    this.#source = source;
    this.#fileBytes = fileBytes;
  }

  /**
   * Reads the fields before the file. If the form fails later, the stream of the file does.
   *
   * @throws UploadError if the form is malformed; HttpError if the body is too large
   */
  async readToFile(): Promise<ReadForm> {
    // Loaded with the first form, because most servers never receive one and should start fast.
    const { Busboy } = await import('@fastify/busboy');
    const contentType = this.#request.headers['content-type'] ?? '';
    try {
      const form = new Busboy({
        headers: { 'content-type': contentType },
        limits: { ...FORM_LIMITS, fileSize: this.#fileBytes },
        isPartAFile: (name, _type, filename) => isFileField(name) || filename !== undefined,
      });
      const delimiters = new Delimiters(contentType);
      this.#listen(form, delimiters);
      this.#feed(form, delimiters);
    } catch (error) {
      this.#fail(error);
    }
    return this.#found.promise;
  }

  /** Leaves the rest of the request to the router. */
  stop(): void {
    this.#stop();
    if (!this.#isComplete) this.#request.pause();
    this.#file?.destroy();
  }

  #listen(form: BusboyInstance, delimiters: Delimiters): void {
    const refuse = (what: string, max: number) =>
      this.#fail(malformedForm(`The form has more than ${max} ${what}.`));
    form.on('field', (name, value, _isNameCut, isCut) => {
      // Object stores ignore what follows the file.
      if (this.#file !== undefined) return;
      if (isCut) refuse(`bytes in field ${name}`, FORM_LIMITS.fieldSize);
      else if (name === undefined) this.#fail(new Error('a field has no name'));
      else this.#attempt(() => addField(this.#fields, name, value));
    });
    form.on('file', (name, body, filename = '', _encoding, mediaType) => {
      // The error is reported by the form, even if nobody reads this file.
      body.on('error', () => {});
      if (this.#file !== undefined || !isFileField(name)) {
        body.resume();
        return;
      }
      body.once('limit', () => this.#fail(tooLarge(this.#fileBytes)));
      this.#file = new FileContent(body);
      const contentType = toFileType(delimiters.fileType ?? mediaType);
      this.#found.resolve({ fields: this.#fields, file: this.#file, filename, contentType });
    });
    form.on('fieldsLimit', () => refuse('fields', FORM_LIMITS.fields));
    form.on('filesLimit', () => refuse('files', FORM_LIMITS.files));
    form.on('error', (error) => this.#fail(error));
    form.on('finish', () => {
      this.#isComplete = true;
      if (this.#file === undefined) this.#fail(missingFile());
      else if (this.failure === undefined) this.#file.complete();
    });
  }

  /** Writes the body to the form, with backpressure. */
  #feed(form: BusboyInstance, delimiters: Delimiters): void {
    const source = this.#source;
    const request = this.#request;
    const onDrain = () => source.resume();
    const onData = (chunk: Buffer) =>
      this.#attempt(() => {
        for (const piece of delimiters.push(chunk)) {
          if (this.failure === undefined) form.write(piece);
        }
        if (form.writableNeedDrain) source.pause();
      });
    const onEnd = () => form.end(delimiters.end());
    const onError = (error: unknown) => this.#fail(error);
    const onClose = () => {
      if (!request.complete) this.#fail(new Error('the client disconnected'));
    };
    form.on('drain', onDrain);
    source.on('data', onData).once('end', onEnd).on('error', onError);
    request.once('close', onClose);
    // Whoever had the request before may have paused it.
    source.resume();
    this.#stop = () => {
      form.off('drain', onDrain);
      source.off('data', onData).off('end', onEnd);
      request.off('close', onClose);
      source.pause();
    };
  }

  #attempt(step: () => void): void {
    try {
      step();
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    this.failure ??= hasResponse(error) ? error : unreadable(error);
    this.#stop();
    this.#found.reject(this.failure);
    // The reader of the file must learn that its end will never arrive.
    this.#file?.destroy(this.failure as Error);
  }
}

function unreadable(error: unknown): UploadError {
  const reason = error instanceof Error ? error.message : String(error);
  return malformedForm(`The form cannot be read: ${reason}.`, error);
}

function tooLarge(fileBytes: number): UploadError {
  const message = `The file is larger than ${fileBytes} bytes.`;
  return new UploadError('EntityTooLarge', { message });
}

/**
 * The content of a file. D28: a file becomes visible when it is complete, so the stream ends only when the
 * form is. Uses events instead of a generator, because a promise per chunk would cost a tenth of the upload
 * time.
 */
class FileContent extends Readable {
  readonly #body: Readable;

  constructor(body: Readable) {
    super();
    this.#body = body;
    // A handler that rejects the form reads nothing, and an aborted form must not crash the process.
    this.on('error', () => {});
    // Nothing is read before the content is requested.
    body.pause();
    body.on('data', (chunk: Buffer) => {
      if (!this.push(chunk)) body.pause();
    });
  }

  /** Ends the stream. */
  complete(): void {
    this.push(null);
  }

  override _read(): void {
    this.#body.resume();
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.#body.destroy();
    callback(error);
  }
}
