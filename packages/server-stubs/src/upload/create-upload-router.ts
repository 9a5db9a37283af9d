import { LIMITS } from '../generated/contract.gen.ts';
import { routes as standard } from '../generated/storage.v2/routes.gen.ts';
import { createCors } from '../http/cors.ts';
import { toHandlers } from '../http/to-handlers.ts';
import { toPreflight } from '../http/to-preflight.ts';
import type { BerthRouterOptions } from '../router-options.ts';
import { createRouter, type Router, toAnswer } from '../runtime/index.ts';
import { defaultWireProfile } from '../wire-profile.ts';
import { toUploadFault } from './to-upload-fault.ts';
import { toUploadInput } from './to-upload-input.ts';
import { toUploadTable } from './to-upload-table.ts';
import { toUploaded } from './to-uploaded.ts';
import type { UploadHandler, UploadHandlers } from './upload-handlers.ts';

/** What a form may hold beside its file: fields and boundaries. */
const FORM_BYTES = 1_048_576;

export interface UploadRouterOptions extends BerthRouterOptions {
  /** Largest file, in bytes; a larger one is `EntityTooLarge`. Default 5 GiB (D27). */
  readonly fileBytes?: number;
}

/**
 * Makes the upload target: middleware for Express 4 and 5, and a listener of `node:http`. It takes
 * `POST /`; under Express mount it where the returned `url` points to. The form is read as a stream and
 * never held in memory.
 *
 * @throws TypeError for options that contradict each other
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
  handlers: UploadHandlers,
  options: UploadRouterOptions = {},
): Router {
  const { cors: origins, wireProfile = defaultWireProfile, requests } = options;
  const { fileBytes = LIMITS.uploadBytes, routes = standard } = options;
  const cors = createCors('upload', wireProfile, origins);
  return createRouter(
    toUploadTable(routes),
    toHandlers(handlers as Record<string, UploadHandler>, (upload) => async ({ body }, call) => {
      const input = await toUploadInput(body, call, wireProfile, fileBytes);
      return toUploaded(await upload(input, call), input);
    }),
    {
      ...options,
      requests: { streamBytes: fileBytes + FORM_BYTES, ...requests },
      headers: ({ request, requestId }) => ({
        ...cors.answer(request.headers.origin),
        'x-request-id': requestId,
      }),
      toAnswer: (fault, call) =>
        toPreflight(fault, call, cors) ?? toUploadFault(fault)[toAnswer](call),
    },
  );
}
