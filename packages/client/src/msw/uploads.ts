import {
  getMultipartBoundary,
  type MultipartPart,
  parseMultipart,
} from '@remix-run/multipart-parser';
import {
  type HttpHandler,
  HttpResponse,
  http,
  type RequestHandler,
  type RequestHandlerOptions,
} from 'msw';
import { STORAGE_ERRORS, UPLOAD_ERRORS } from '../generated/msw.gen.ts';
import {
  allowAnyOrigin,
  allowPages,
  type ErrorArguments,
  LINK_PATH,
  type MswContext,
  toError,
  toKey,
  toPattern,
  UPLOAD_PATH,
} from './context.ts';

/** An upload or download request. */
export interface UploadRequest {
  /**
   * The request. Its body has not been read yet. For an upload, `await request.formData()` returns the
   * form.
   */
  readonly request: Request;
}

/** Returns a response such as `uploadError(code)`. Return nothing to leave the request to the next handler. */
type Resolver = (call: UploadRequest) => Response | undefined | Promise<Response | undefined>;

/**
 * Functions that create handlers for the upload target and for links. Put these handlers before the default
 * ones.
 *
 * @example
 * server.use(berth.uploads.uploadFile(() => uploadError('SlowDown'), { once: true }));
 */
export interface MswUploads {
  /** Handles the second step of uploads. */
  uploadFile(resolver: Resolver, options?: RequestHandlerOptions): HttpHandler;
  /** Handles downloads from temporary links. */
  downloadFile(resolver: Resolver, options?: RequestHandlerOptions): HttpHandler;
}

/** Tests may upload as much as fits in memory. */
const UNLIMITED = {
  maxFileSize: Number.POSITIVE_INFINITY,
  maxTotalSize: Number.POSITIVE_INFINITY,
};

export function createMswUploads(context: MswContext): {
  uploads: MswUploads;
  defaults: RequestHandler[];
} {
  const target = toPattern(context.storageUrl, UPLOAD_PATH);
  const links = toPattern(context.storageUrl, `${LINK_PATH}.*`);
  const uploads: MswUploads = {
    uploadFile: (resolver, options) =>
      http.post(
        target,
        async ({ request }) => allowAnyOrigin(await resolver({ request })),
        options,
      ),
    downloadFile: (resolver, options) =>
      http.all(
        links,
        async ({ request }) =>
          /^(GET|HEAD)$/.test(request.method)
            ? allowAnyOrigin(await resolver({ request }))
            : undefined,
        options,
      ),
  };
  return {
    uploads,
    defaults: [
      allowPages(target, 'upload'),
      allowPages(links, 'link'),
      uploads.uploadFile(({ request }) => readUpload(request, context)),
      uploads.downloadFile(({ request }) => serveFile(request, context)),
    ],
  };
}

/**
 * Handles the second step of an upload. A form with a missing or wrong signature, token, file ID or key
 * stores nothing, and gets an XML `Error` (D30).
 */
async function readUpload(
  request: Request,
  { grants, profile: { uploadFields }, store }: MswContext,
): Promise<Response> {
  const form = await readForm(request);
  // Field names are case-insensitive (D27).
  const read = (name: string) => form?.get(name.toLowerCase())?.text ?? '';

  const file = form?.get('file');
  if (!file?.isFile || !read('key')) return uploadError('MalformedPOSTRequest');
  const key = toKey(read('key'));
  const grant = grants.get(read(uploadFields.securityToken));
  if (!grant) return uploadError('AccessDenied');
  const isWhole =
    grant.key === key &&
    grant.authorization === read('Signature') &&
    grant.storeFileID === read(uploadFields.metaFileId);
  if (!isWhole) return uploadError('SignatureDoesNotMatch');
  if (Date.now() >= grant.expires) return uploadError('AccessDenied');

  const type = file.headers['content-type'] ?? 'text/plain';
  const { etag } = store.store(key, file.bytes, type);
  const headers = { ETag: etag, 'X-Request-Id': crypto.randomUUID() };
  return new HttpResponse(null, { status: 204, headers });
}

/**
 * Reads a multipart form (RFC 7578) with lowercase field names. `request.formData()` fails in Node if
 * jsdom has replaced the platform's `File` with its own.
 *
 * @returns `undefined` if the body is not such a form
 */
async function readForm(request: Request): Promise<Map<string, MultipartPart> | undefined> {
  const boundary = getMultipartBoundary(request.headers.get('Content-Type') ?? '') ?? '';
  try {
    const body = [new Uint8Array(await request.arrayBuffer())];
    const parts = [...parseMultipart(body, { boundary, ...UNLIMITED })];
    return new Map(parts.map((part) => [(part.name ?? '').toLowerCase(), part]));
  } catch {
    return undefined;
  }
}

/** Serves a file, or part of it, from a temporary link (RFC 9110, section 14). */
function serveFile(request: Request, { links, store }: MswContext): Response {
  const link = links.get(new URL(request.url).searchParams.get('sign') ?? '');
  if (!link) return uploadError('SignatureDoesNotMatch');
  // An expired link returns 403 (D22).
  if (Date.now() >= link.expires) return uploadError('AccessDenied');
  const file = store.files.get(link.key);
  if (!file) {
    const code = 'STORAGE_FILE_NONEXIST' satisfies keyof typeof STORAGE_ERRORS;
    return toXml(code, toError(STORAGE_ERRORS, code, { status: 404 }));
  }
  const { bytes, contentType, etag } = file;
  const headers = new Headers({
    ETag: etag,
    'Accept-Ranges': 'bytes',
    'Content-Type': contentType || 'application/octet-stream',
    'X-Request-Id': crypto.randomUUID(),
  });
  const part = toPart(request.headers, bytes.length, etag);
  if (part && part.start >= bytes.length) {
    headers.set('Content-Range', `bytes */${bytes.length}`);
    return new HttpResponse(null, { status: 416, headers });
  }
  if (part) headers.set('Content-Range', `bytes ${part.start}-${part.end}/${bytes.length}`);
  const body = part ? bytes.slice(part.start, part.end + 1) : bytes;
  headers.set('Content-Length', String(body.length));
  const isHead = request.method === 'HEAD';
  return new HttpResponse(isHead ? null : body, { status: part ? 206 : 200, headers });
}

/** Returns the requested range. Multiple ranges, other units or a different file get the complete file. */
function toPart(headers: Headers, size: number, etag: string) {
  const [, from = '', to = ''] = /^bytes=(\d*)-(\d*)$/.exec(headers.get('Range') ?? '') ?? [];
  if ((!from && !to) || (headers.get('If-Range') ?? etag) !== etag) return undefined;
  if (!from) return { start: Math.max(0, size - Number(to)), end: size - 1 };
  return { start: Number(from), end: Math.min(size - 1, to ? Number(to) : size - 1) };
}

/**
 * Creates an upload target error, an XML document with an `Error` element (D27).
 *
 * @example
 * server.use(berth.uploads.uploadFile(() => uploadError('EntityTooLarge')));
 */
export function uploadError(...[code, options]: ErrorArguments<typeof UPLOAD_ERRORS>): Response {
  return toXml(code, toError(UPLOAD_ERRORS, code, options));
}

function toXml(
  code: string,
  { status, message, requestId, headers }: ReturnType<typeof toError>,
): Response {
  const fields = { Code: code, Message: message, RequestId: requestId, TraceId: requestId };
  const toSafe = (text: string) =>
    text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  const elements = Object.entries(fields).map(
    ([name, text]) => `<${name}>${toSafe(text)}</${name}>`,
  );
  headers.set('Content-Type', 'application/xml');
  const declaration = '<?xml version="1.0" encoding="UTF-8"?>';
  return new HttpResponse(`${declaration}<Error>${elements.join('')}</Error>`, { status, headers });
}
