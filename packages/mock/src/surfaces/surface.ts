/** What the server and the MSW handlers share about their surfaces. Also runs in browsers: must not import Node modules. */
import { MERGED_HEADERS, toWireForm } from '@berth/server-stubs/contract';
import type { HandlerResponse } from '@berth/server-stubs/runtime';
import type { WireProfile } from '@berth/spec/wire-profile';
import { STORAGE_OPERATIONS } from './storage-operations.ts';

/** The path of `uploadFile` in the document. The mock serves it there, and not at the engine's `UPLOAD_PATH`. */
export const DOCUMENT_UPLOAD_PATH = '/';

export const BUCKET = 'files';

/** The surfaces with a document. The storage document also covers the upload target. */
export type DocumentedSurface = 'gateway' | 'storage';

export const SURFACES = ['gateway', 'storage', 'upload', 'link'] as const;

export type SurfaceName = (typeof SURFACES)[number];

/** What a call targets; logged, and matched by fault rules. */
export interface CallSubject {
  /** The surface whose errors the call gets if the mock itself rejects it. */
  readonly surface: SurfaceName;
  /** The `operationId` in the document that responds; undefined if no operation matches. */
  readonly operationId?: string | undefined;
  /** Hosted service that a gateway call is for. */
  readonly service?: string | undefined;
}

/** The operations that the mock implements. Prism responds to all others. */
export const IMPLEMENTED: ReadonlySet<string> = new Set([
  ...STORAGE_OPERATIONS,
  'cloudrun-get-root',
  'cloudrun-post-root',
  'cloudrun-get',
  'cloudrun-post',
  'uploadFile',
]);

/** @param common headers of every response on the surface */
export function toFetchResponse(
  { status, headers: added = {}, body }: HandlerResponse,
  common: Readonly<Record<string, string>>,
  { method, signal }: { readonly method?: string | undefined; readonly signal?: AbortSignal },
  profile: WireProfile,
): Response {
  const headers = new Headers(common);
  for (const [name, value] of Object.entries(added)) {
    if (value === undefined) continue;
    if (!MERGED_HEADERS.has(name.toLowerCase())) headers.delete(name);
    for (const line of [value].flat()) headers.append(name, String(line));
  }
  const isBytes = typeof body === 'string' || ArrayBuffer.isView(body);
  const isJson = Boolean(body) && !isBytes && !(body instanceof ReadableStream);
  if (isJson) headers.set('content-type', 'application/json');
  if (body === undefined || method === 'HEAD' || status === 204 || status === 304) {
    return new Response(null, { status, headers });
  }
  const content = isJson ? JSON.stringify(toWireForm(body, profile)) : body;
  // MSW reads a copy of a stream, whose source would never see that the caller has disconnected.
  return new Response(
    content instanceof ReadableStream
      ? content.pipeThrough(new TransformStream(), { signal: signal as AbortSignal })
      : (content as ConstructorParameters<typeof Response>[0]),
    { status, headers },
  );
}
