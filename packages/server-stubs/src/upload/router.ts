import type { Readable } from 'node:stream';
import { LIMITS } from '../generated/contract.gen.ts';
import { routes } from '../generated/storage.v2/routes.gen.ts';
import type { Router } from '../runtime/options.ts';
import type { Call, HandlerResponse } from '../runtime/portable/call.ts';
import { hasResponse } from '../runtime/portable/http-error.ts';
import type { ParsedInput } from '../runtime/portable/parameters.ts';
import {
  assertFunction,
  assertHandlerNames,
  assertLimit,
  namesOf,
} from '../runtime/portable/user-input.ts';
import { createTableRouter } from '../runtime/router.ts';
import { type ApiOptions, createSurface } from '../surface.ts';
import { handleForm, type UploadInput, type UploadResult } from './form.ts';
import { openForm } from './form-reader.ts';

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

const OPTION_NAMES = namesOf<Omit<UploadRouterOptions, keyof ApiOptions>>({ fileBytes: true });

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
  const { wireProfile, shared } = createSurface('upload', options, OPTION_NAMES, maxBytes);

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
