import type { IncomingMessage } from 'node:http';
import { PassThrough, type Readable } from 'node:stream';
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
import { DelimiterNormalizer } from './delimiter-normalizer.ts';
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
