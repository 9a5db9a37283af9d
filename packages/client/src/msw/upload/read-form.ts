import {
  getMultipartBoundary,
  type MultipartPart,
  parseMultipart,
} from '@remix-run/multipart-parser';

/** A test may upload whatever its memory holds. */
const UNLIMITED = {
  maxFileSize: Number.POSITIVE_INFINITY,
  maxTotalSize: Number.POSITIVE_INFINITY,
};

/**
 * Reads a multipart form (RFC 7578); field names are in lower case. `request.formData()` is not used: it
 * fails in Node where jsdom has put its own `File` in the place of that of the platform.
 *
 * @returns `undefined` where the body is no such form
 */
export async function readForm(request: Request): Promise<Map<string, MultipartPart> | undefined> {
  const boundary = getMultipartBoundary(request.headers.get('Content-Type') ?? '') ?? '';
  try {
    const body = [new Uint8Array(await request.arrayBuffer())];
    const parts = [...parseMultipart(body, { boundary, ...UNLIMITED })];
    return new Map(parts.map((part) => [(part.name ?? '').toLowerCase(), part]));
  } catch {
    return undefined;
  }
}
