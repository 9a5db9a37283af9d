import { UploadError, type UploadErrorCode } from '../errors.ts';
import { LIMITS } from '../generated/contract.gen.ts';
import { routes as standard } from '../generated/storage.v2/routes.gen.ts';
import { createCors, toPreflight } from '../http/cors.ts';
import { type BerthRouterOptions, toHandlers, UPLOAD_OPERATION } from '../http/router-options.ts';
import { defaultWireProfile } from '../http/wire-profile.ts';
import {
  createRouter,
  type Fault,
  type FaultKind,
  type HandlerResponse,
  type Router,
  type RouteTable,
  toResponse,
} from '../runtime/index.ts';
import { toUploadInput } from './upload-form.ts';
import type {
  UploadHandler,
  UploadHandlers,
  UploadInput,
  UploadResult,
} from './upload-handlers.ts';

const CODES: Readonly<Record<FaultKind, UploadErrorCode>> = {
  'not-found': 'MalformedPOSTRequest',
  'method-not-allowed': 'MalformedPOSTRequest',
  'bad-path': 'MalformedPOSTRequest',
  'invalid-request': 'MalformedPOSTRequest',
  'malformed-body': 'MalformedPOSTRequest',
  'unsupported-media-type': 'MalformedPOSTRequest',
  'too-large': 'EntityTooLarge',
  unauthorized: 'AccessDenied',
  'not-implemented': 'InternalError',
  'invalid-response': 'InternalError',
  'handler-failed': 'InternalError',
};

/** Faults that keep their own status, because D27 has no code for them. */
const OWN_STATUS: readonly FaultKind[] = ['not-found', 'method-not-allowed', 'not-implemented'];

/** Form field that may request the status 200, 201 or 204 (D27). */
const STATUS_FIELD = 'success_action_status';
const STATUSES = ['200', '201', '204'];
const DEFAULT_STATUS = 204;

/** Maximum size of everything in a form except for its file: fields and boundaries. */
const FORM_BYTES = 1_048_576;

export interface UploadRouterOptions extends BerthRouterOptions {
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
        ...cors.response(request.headers.origin),
        'x-request-id': requestId,
      }),
      toResponse: (fault, call) =>
        toPreflight(fault, call, cors) ?? toUploadFault(fault)[toResponse](call),
    },
  );
}

/** Converts a runtime fault to an upload target error (D27). */
function toUploadFault({ kind, status, message, cause }: Fault): UploadError {
  const code = CODES[kind];
  if (kind === 'invalid-response' || kind === 'handler-failed') {
    return new UploadError(code, { cause });
  }
  return new UploadError(code, { message, cause, ...(OWN_STATUS.includes(kind) && { status }) });
}

/** D27: "204 with an empty body", a quoted `ETag` and a `Location`. */
function toUploaded({ etag, location }: UploadResult, { fields }: UploadInput): HandlerResponse {
  const wanted = fields.get(STATUS_FIELD) ?? '';
  return {
    status: STATUSES.includes(wanted) ? Number(wanted) : DEFAULT_STATUS,
    headers: { etag: etag.startsWith('"') ? etag : `"${etag}"`, location: toAscii(location) },
  };
}

/** Headers are ASCII. Existing percent-encoding is kept. */
function toAscii(address: string): string {
  return address.replace(/[^\x21-\x7E]+/gu, encodeURIComponent);
}

/**
 * Returns the upload target's route without security schemes, because the form contains the grant, and
 * without the parts of the form, whose names are case-insensitive and depend on the wire profile.
 */
function toUploadTable(table: RouteTable): RouteTable {
  const [route] = table.routes.filter(({ operationId }) => operationId === UPLOAD_OPERATION);
  if (route === undefined) return { ...table, routes: [] };
  const content = route.body?.content.map(({ mediaType, kind }) => ({ mediaType, kind })) ?? [];
  return {
    ...table,
    securitySchemes: {},
    routes: [{ ...route, ...(route.body && { body: { ...route.body, content } }) }],
  };
}
