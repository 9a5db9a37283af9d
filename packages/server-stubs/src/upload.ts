import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { BusboyInstance } from '@fastify/busboy';
import { Delimiters } from './delimiters.ts';
import { toContractError, UploadError } from './errors.ts';
import { LIMITS } from './generated/contract.gen.ts';
import { routes } from './generated/storage.v2/routes.gen.ts';
import { type CommonOptions, toRouterOptions } from './router-options.ts';
import {
  type Call,
  createRouter,
  type HandlerResponse,
  type HttpError,
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
  /** Maximum file size in bytes. Larger files get `EntityTooLarge`. Default: 5 GiB. */
  readonly fileBytes?: number;
}

/**
 * Creates the upload target, `POST /`: middleware for Express 4 and 5, and a `node:http` listener. Forms are streamed.
 *
 * @throws TypeError if options contradict each other
 *
 * @example
 * const uploadFile: UploadHandler = async ({ key, signature, token, metaFileId, file }) => {
 *   assertGrant({ key, signature, token, metaFileId }); // throws UploadError('AccessDenied')
 *   return store.write(key, file); // { etag, location }
 * };
 * app.use('/upload', createUploadRouter({ uploadFile }));
 */
export function createUploadRouter(
  handlers: { readonly uploadFile: UploadHandler },
  options: UploadRouterOptions = {},
): Router {
  const { fileBytes = LIMITS.uploadBytes } = options;
  const limits = { streamBytes: fileBytes + LIMITS.uploadFormBytes };
  const toError = (error: HttpError) => toContractError('upload', error);
  const { wireProfile, settings } = toRouterOptions('upload', options, limits, toError);

  async function handle({ body }: Input, call: Call): Promise<HandlerResponse> {
    const form = await openForm(call.request, body as Readable, fileBytes);
    try {
      const { fields, ...file } = await form.start;
      const input = { ...toUploadFields(fields, call, wireProfile), ...file };
      return toUploaded(await handlers.uploadFile(input, call), input);
    } catch (error) {
      // If the form failed, that is why the handler failed.
      throw hasResponse(error) || call.signal.aborted ? error : (form.failure() ?? error);
    } finally {
      form.close();
    }
  }

  // The form contains the grant, so the route has no security schemes.
  const table = {
    ...routes,
    securitySchemes: {},
    routes: routes.routes.filter(({ operationId }) => operationId === 'uploadFile'),
  };
  return createRouter(table, { uploadFile: handle }, settings);
}

/** What a form has up to its file, whose content follows. */
type FormStart = Pick<UploadInput, 'fields' | 'file' | 'contentType'>;

const FORM_LIMITS = { fields: 100, files: 10, fieldSize: 64 * 1024 };

/**
 * Reads a form with its file as a stream. Everything after the file is ignored, but must be complete.
 *
 * @param source the body of the request, limited in size
 * @returns `start` rejects if the form is malformed up to its file; if it fails later, the file does
 */
async function openForm(request: IncomingMessage, source: Readable, fileBytes: number) {
  const start = Promise.withResolvers<FormStart>();
  const fields = new Map<string, string>();
  let file: FileContent | undefined;
  let failure: unknown;
  let isComplete = false;
  let stop = () => {};

  function fail(error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error);
    failure ??= hasResponse(error)
      ? error
      : malformedForm(`The form cannot be read: ${reason}.`, error);
    stop();
    start.reject(failure);
    // The reader of the file must learn that its end will never arrive.
    file?.destroy(failure as Error);
  }

  function attempt(step: () => void): void {
    try {
      step();
    } catch (error) {
      fail(error);
    }
  }

  function listen(form: BusboyInstance, delimiters: Delimiters): void {
    const refuse = (what: string, max: number) =>
      fail(malformedForm(`The form has more than ${max} ${what}.`));
    form
      .on('field', (name, value, _isNameCut, isCut) => {
        if (file !== undefined) return;
        if (isCut) refuse(`bytes in field ${name}`, FORM_LIMITS.fieldSize);
        else if (name === undefined) fail(new Error('a field has no name'));
        else attempt(() => addField(fields, name, value));
      })
      .on('file', (name, body, _filename, _encoding, mediaType) => {
        // The form reports the error, even if nobody reads this file.
        body.on('error', () => {});
        if (file !== undefined || !isFileField(name)) {
          body.resume();
          return;
        }
        const message = `The file is larger than ${fileBytes} bytes.`;
        body.once('limit', () => fail(new UploadError('EntityTooLarge', { message })));
        file = new FileContent(body);
        const contentType = toFileType(delimiters.fileType ?? mediaType);
        start.resolve({ fields, file, contentType });
      })
      .on('fieldsLimit', () => refuse('fields', FORM_LIMITS.fields))
      .on('filesLimit', () => refuse('files', FORM_LIMITS.files))
      .on('error', fail)
      .on('finish', () => {
        isComplete = true;
        if (file === undefined) fail(missingFile());
        else if (failure === undefined) file.push(null);
      });
  }

  /** Writes the body to the form, with backpressure. */
  function feed(form: BusboyInstance, delimiters: Delimiters): void {
    const onData = (chunk: Buffer) =>
      attempt(() => {
        for (const piece of delimiters.push(chunk)) form.write(piece);
        if (form.writableNeedDrain) source.pause();
      });
    const onDrain = () => source.resume();
    const onEnd = () => form.end(delimiters.end());
    const onClose = () => {
      if (!request.complete) fail(new Error('the client disconnected'));
    };
    form.on('drain', onDrain);
    source.on('data', onData).once('end', onEnd).on('error', fail);
    request.once('close', onClose);
    stop = () => {
      form.off('drain', onDrain);
      source.off('data', onData).off('end', onEnd);
      request.off('close', onClose);
      source.pause();
    };
    // Whoever had the request before may have paused it.
    source.resume();
  }

  // Loaded with the first form, because most servers never receive one and should start fast.
  const { Busboy } = await import('@fastify/busboy');
  const contentType = request.headers['content-type'] ?? '';
  attempt(() => {
    const form = new Busboy({
      headers: { 'content-type': contentType },
      limits: { ...FORM_LIMITS, fileSize: fileBytes },
      isPartAFile: (name, _type, filename) => isFileField(name) || filename !== undefined,
    });
    const delimiters = new Delimiters(contentType);
    listen(form, delimiters);
    feed(form, delimiters);
  });
  return {
    start: start.promise,
    /** The error that ended the form. */
    failure: () => failure,
    /** Leaves the rest of the request to the router. */
    close(): void {
      stop();
      if (!isComplete) request.pause();
      file?.destroy();
    },
  };
}

/**
 * The content of a file, which ends only when the form does (D28). Events cost a tenth less time than a generator.
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

  override _read(): void {
    this.#body.resume();
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.#body.destroy();
    callback(error);
  }
}
