import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Call } from '@berth/server-stubs';
import {
  type ContractErrorOptions,
  GatewayError,
  StorageError,
  toResponse,
  toWireForm,
  UploadError,
} from '@berth/server-stubs/contract';
import type { WireProfile } from '@berth/spec/wire-profile';

/** The path of `uploadFile` in the document. The mock serves it there, and not at the engine's `UPLOAD_PATH`. */
export const DOCUMENT_UPLOAD_PATH = '/';

/** The bucket that contains the files. */
export const BUCKET = 'files';

export type SurfaceName = 'gateway' | 'storage' | 'upload' | 'link';

const ERRORS = {
  gateway: GatewayError,
  storage: StorageError,
  upload: UploadError,
  link: UploadError,
} as const;

export type Refusal = GatewayError | StorageError | UploadError;

export function toRefusal(
  surface: SurfaceName,
  code: string,
  options?: ContractErrorOptions,
): Refusal {
  return new ERRORS[surface](code, options);
}

/** Why the mock itself refuses a call: the code of the gateway, of storage, and of uploads and links. */
const REASONS = {
  failed: ['SYS_ERR', 'SYS_ERR', 'InternalError'],
  host: ['INVALID_HOST', 'INVALID_PARAM', 'MalformedPOSTRequest'],
  invalid: ['INVALID_REQUEST', 'INVALID_PARAM', 'MalformedPOSTRequest'],
} as const;

export function refusalFor(
  reason: keyof typeof REASONS,
  surface: SurfaceName,
  options?: ContractErrorOptions,
): Refusal {
  const [gateway, storage, upload] = REASONS[reason];
  return toRefusal(surface, { gateway, storage, upload, link: upload }[surface], options);
}

/**
 * Sends an error in place of a router. The request body is not read: Node discards the rest of it, so that the
 * connection can be kept alive.
 *
 * @param headers those of every response on the surface
 */
export function sendRefusal(
  error: Refusal,
  response: ServerResponse,
  profile: WireProfile,
  headers: OutgoingHttpHeaders = {},
  requestId: string = crypto.randomUUID(),
): void {
  const { req: request } = response;
  const rawPath = request.url?.split('?', 1)[0] ?? '/';
  const call = { request, requestId, rawPath } as unknown as Call;
  const { status, headers: errorHeaders, body } = error[toResponse](call);
  const text = typeof body === 'string' ? body : JSON.stringify(toWireForm(body, profile));
  const all = {
    'content-type': 'application/json',
    // A client that waits for 100 Continue does not send its body after this response.
    ...(request.headers.expect !== undefined && { connection: 'close' }),
    ...headers,
    ...errorHeaders,
    'content-length': Buffer.byteLength(text),
  };
  for (const [name, value] of Object.entries(all)) {
    if (value !== undefined) response.setHeader(name, value);
  }
  response.writeHead(status).end(request.method === 'HEAD' ? undefined : text);
}
