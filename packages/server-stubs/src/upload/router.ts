import type { IncomingMessage } from 'node:http';
import { PassThrough, type Readable, Transform, type TransformCallback } from 'node:stream';
import type { BusboyInstance } from '@fastify/busboy';
import { UploadError } from '../errors.ts';
import { LIMITS } from '../generated/contract.gen.ts';
import { routes } from '../generated/storage.v2/routes.gen.ts';
import type { Router } from '../runtime/options.ts';
import type { Call, HandlerResponse } from '../runtime/portable/call.ts';
import { hasResponse } from '../runtime/portable/http-error.ts';
import type { ParsedInput } from '../runtime/portable/parameters.ts';
import { assertFunction, assertHandlerNames, assertLimit } from '../runtime/portable/user-input.ts';
import { createTableRouter } from '../runtime/router.ts';
import { type ApiOptions, createSurface } from '../surface.ts';
import {
  addField,
  handleForm,
  isFileField,
  malformedForm,
  missingFileField,
  toFileType,
  type UploadInput,
  type UploadResult,
} from './form.ts';

export type { UploadInput, UploadResult } from './form.ts';

/** Stores a file. To reject it, throw an `UploadError`, preferably before reading the content. */
export type UploadHandler = (
  input: UploadInput,
  call: Call,
) => UploadResult | Promise<UploadResult>;

/** Options of `createUploadRouter`. */
export interface UploadRouterOptions extends ApiOptions {
  /** Maximum file size in bytes. Larger files get `EntityTooLarge`. Default: 5 GiB. */
  readonly fileBytes?: number;
}

/**
 * Creates the upload target, `POST /`: middleware for Express 4 and 5, and a `node:http` listener. Forms are streamed.
 *
 * @throws TypeError if the handler is missing, there is another one, or an option is invalid
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
  assertFunction(handlers.uploadFile, 'handlers.uploadFile');
  assertHandlerNames(handlers, ['uploadFile']);
  const { fileBytes = LIMITS.uploadBytes } = options;
  assertLimit(fileBytes, 'options.fileBytes');
  const maxBytes = fileBytes + LIMITS.uploadFormBytes;
  const { wireProfile, shared } = createSurface('upload', options, { fileBytes: true }, maxBytes);

  async function uploadFile({ body }: ParsedInput, call: Call): Promise<HandlerResponse> {
    const form = await openForm(call.request, body as Readable, fileBytes);
    const store = async (input: UploadInput) => {
      try {
        return await handlers.uploadFile(input, call);
      } catch (error) {
        // If the form failed, that is why the handler failed.
        throw hasResponse(error) || call.signal.aborted ? error : (form.findFailure() ?? error);
      }
    };
    try {
      return await handleForm(await form.opened, wireProfile, store);
    } finally {
      form.close();
    }
  }

  // The form contains the grant, so the route has no security schemes.
  const uploads = routes.routes.filter(({ operationId }) => operationId === 'uploadFile');
  const table = { ...routes, securitySchemes: {}, routes: uploads };
  return createTableRouter(table, { uploadFile }, shared);
}

/** `fields`: the file has not begun. `file`: its content ends only when the form does (D28). */
type FormState =
  | { readonly name: 'fields' }
  | { readonly name: 'file'; readonly file: PassThrough }
  | { readonly name: 'failed'; readonly failure: unknown };

const FORM_LIMITS = { fields: 100, files: 10, fieldSize: 64 * 1024 };

/**
 * Reads a form with its file as a stream. Everything after the file is ignored, but must be complete.
 *
 * @param source the body of the request, limited in size
 * @throws UploadError if the media type of the request has no boundary
 */
async function openForm(request: IncomingMessage, source: Readable, fileBytes: number) {
  const parser = await createParser(request, fileBytes);
  const normalizer = new DelimiterNormalizer(request.headers['content-type'] ?? '');
  const opened = Promise.withResolvers<Pick<UploadInput, 'fields' | 'file' | 'contentType'>>();
  const fields = new Map<string, string>();
  let state: FormState = { name: 'fields' };

  const fail = (error: unknown) => {
    if (state.name === 'failed') return;
    const failure: unknown = hasResponse(error) ? error : unreadableForm(error);
    source.unpipe(normalizer);
    opened.reject(failure);
    // The reader of the file must learn that its end will never arrive.
    if (state.name === 'file') state.file.destroy(failure as Error);
    state = { name: 'failed', failure };
  };
  const onClose = () => {
    if (!request.complete) fail(new Error('the client disconnected'));
  };
  request.once('close', onClose);
  parser
    .on('field', (name, value, _isNameTruncated, isTruncated) => {
      if (state.name !== 'fields') return;
      try {
        if (isTruncated) throw tooMany(`bytes in field ${name}`, FORM_LIMITS.fieldSize);
        if (name === undefined) throw new Error('a field has no name');
        addField(fields, name, value);
      } catch (error) {
        fail(error);
      }
    })
    .on('file', (name, body, _filename, _encoding, mediaType) => {
      // The form reports the error, even if nobody reads this file.
      body.on('error', () => {});
      if (state.name !== 'fields' || !isFileField(name)) {
        body.resume();
        return;
      }
      const message = `The file is larger than ${fileBytes} bytes.`;
      body.once('limit', () => fail(new UploadError('EntityTooLarge', { message })));
      // A handler that rejects the form reads nothing, and an aborted form must not crash the process.
      const file = new PassThrough().on('error', () => {}).on('close', () => body.destroy());
      body.pipe(file, { end: false });
      state = { name: 'file', file };
      opened.resolve({ fields, file, contentType: toFileType(normalizer.fileType ?? mediaType) });
    })
    .on('fieldsLimit', () => fail(tooMany('fields', FORM_LIMITS.fields)))
    .on('filesLimit', () => fail(tooMany('files', FORM_LIMITS.files)))
    .on('error', fail)
    .on('finish', () => {
      if (state.name === 'fields') fail(missingFileField());
      else if (state.name === 'file') state.file.end();
    });
  source.on('error', fail).pipe(normalizer).on('error', fail).pipe(parser);

  return {
    /** The file and the fields before it. Rejects if the form fails earlier; a later failure destroys the file. */
    opened: opened.promise,
    /** Why the form failed; `undefined` if it has not. */
    findFailure: () => (state.name === 'failed' ? state.failure : undefined),
    /** Leaves the rest of the request to the router. */
    close() {
      request.off('close', onClose);
      source.unpipe(normalizer);
      if (!request.complete) request.pause();
      if (state.name === 'file') state.file.destroy();
    },
  };
}

async function createParser(request: IncomingMessage, fileBytes: number): Promise<BusboyInstance> {
  // Loaded with the first form, because most servers never receive one and should start fast.
  const { Busboy } = await import('@fastify/busboy');
  try {
    return new Busboy({
      headers: { 'content-type': request.headers['content-type'] ?? '' },
      limits: { ...FORM_LIMITS, fileSize: fileBytes },
      isPartAFile: (name, _type, filename) => isFileField(name) || filename !== undefined,
    });
  } catch (error) {
    throw unreadableForm(error);
  }
}

function tooMany(what: string, max: number): UploadError {
  return malformedForm(`The form has more than ${max} ${what}.`);
}

function unreadableForm(error: unknown): UploadError {
  const reason = error instanceof Error ? error.message : String(error);
  return malformedForm(`The form cannot be read: ${reason}.`, error);
}

const CRLF = Buffer.from('\r\n');
const HEAD_END = Buffer.from('\r\n\r\n');

const HEAD_BYTES = 16 * 1024;

/** Skips quoted parameters, such as a file name that contains `; name=file`. */
const FILE_HEAD =
  /^content-disposition:(?:[^"\r\n]|"(?:\\.|[^"\\\r\n])*")*?[;\s]name=(?:"file"|file(?=[\s;]|$))/im;

/**
 * Rewrites two kinds of delimiters in a form that busboy cannot read: white space after a boundary ("transport
 * padding"), and a delimiter directly after the headers of an empty part, with which it shares a line break
 * (RFC 2046, section 5.1.1). Content is never changed. Stops at the headers of the file, from which bytes pass as they
 * are, and keeps its `Content-Type`, whose charset busboy drops.
 */
class DelimiterNormalizer extends Transform {
  /** `Content-Type` of the file; `undefined` without one. */
  fileType: string | undefined;
  readonly #delimiter: Buffer;
  /** What comes next. `rest`: the content of the file, or what follows the last delimiter. */
  #state: 'content' | 'head' | 'rest' = 'content';
  /** Bytes that cannot be passed on yet. A first boundary has no line break of its own. */
  #waiting: Buffer = CRLF;

  constructor(contentType: string) {
    super();
    const [, quoted, plain] = /;\s*boundary=(?:"([^"]*)"|([^\s;]*))/i.exec(contentType) ?? [];
    this.#delimiter = Buffer.from(`\r\n--${quoted ?? plain ?? ''}`, 'latin1');
  }

  override _transform(chunk: Buffer, _encoding: string, callback: TransformCallback): void {
    try {
      this.#rewrite(chunk);
      callback();
    } catch (error) {
      callback(error as Error);
    }
  }

  override _flush(callback: TransformCallback): void {
    callback(null, this.#waiting);
  }

  #rewrite(chunk: Buffer): void {
    const delimiter = this.#delimiter;
    let data = this.#waiting.length === 0 ? chunk : Buffer.concat([this.#waiting, chunk]);
    while (this.#state !== 'rest') {
      if (this.#state === 'content') {
        const at = data.indexOf(delimiter);
        const end = at < 0 ? data.length - delimiter.length + 1 : at + delimiter.length;
        this.push(data.subarray(0, Math.max(end, 0)));
        data = data.subarray(Math.max(end, 0));
        if (at < 0) break;
        this.#state = 'head';
      } else if (data.toString('latin1', 0, 2) === '--') {
        this.#state = 'rest';
      } else {
        const end = data.indexOf(HEAD_END);
        const after = data.subarray(end + CRLF.length, end + CRLF.length + delimiter.length);
        const isTruncated = after.length < delimiter.length && delimiter.indexOf(after) === 0;
        if ((end < 0 ? data.length : end) > HEAD_BYTES) {
          throw malformedForm(`The headers of a part are larger than ${HEAD_BYTES} bytes.`);
        }
        if (end < 0 || isTruncated) break;
        const head = data.toString('latin1', 0, end).replace(/^[ \t]+/, '');
        this.push(Buffer.from(`${head}\r\n\r\n`, 'latin1'));
        // The line break before this delimiter has ended the headers, too.
        data = data.subarray(end + (after.equals(delimiter) ? CRLF.length : HEAD_END.length));
        this.#state = FILE_HEAD.test(head) ? 'rest' : 'content';
        if (this.#state === 'rest') {
          this.fileType = /^content-type:([^\r\n]*)/im.exec(head)?.[1]?.trim();
        }
      }
    }
    if (this.#state === 'rest') {
      this.push(data);
      data = Buffer.alloc(0);
    }
    this.#waiting = data;
  }
}
