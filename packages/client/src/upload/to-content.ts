import { fileSize } from '#platform';
import { assertLength } from './assert-length.ts';
import type { UploadData } from './upload-data.ts';
import type { UploadContent } from './upload-form.ts';

/** What the caller says of the content. */
interface ContentOptions {
  readonly contentType?: string | undefined;
  readonly size?: number | undefined;
  readonly maxBytes?: number | undefined;
}

/**
 * Looks at a content without reading it.
 *
 * @throws TypeError where it is nothing that can be uploaded
 * @throws RangeError where it is longer than `maxBytes`, or not as long as `size` says
 */
export async function toContent(
  given: UploadData,
  { contentType, size: told, maxBytes = Number.POSITIVE_INFINITY }: ContentOptions,
): Promise<UploadContent> {
  const data = toBytes(given);
  let size: number | undefined;
  if (data instanceof Blob) size = data.size;
  else if (data instanceof Uint8Array) size = data.byteLength;
  else if (isObject(data) && 'file' in data) size = await fileSize(data.file);
  else if (!isObject(data) || !('getReader' in data || Symbol.asyncIterator in data)) {
    throw new TypeError('The content is no Blob, bytes, string, stream or { file }.');
  }
  if (told !== undefined && !(Number.isInteger(told) && told >= 0)) {
    throw new RangeError('size is a whole number of bytes.');
  }
  const isReplayable = size !== undefined;
  if (size !== undefined) assertLength({ size: told, maxBytes }, size, true);
  else if (told !== undefined) assertLength({ size: told, maxBytes }, told, true);
  const type = contentType ?? ((data instanceof Blob && data.type) || 'application/octet-stream');
  return { data, size: size ?? told, maxBytes, type, isReplayable };
}

function toBytes(data: UploadData) {
  if (typeof data === 'string') return new TextEncoder().encode(data);
  if (ArrayBuffer.isView(data)) {
    return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  }
  return data instanceof ArrayBuffer ? new Uint8Array(data) : data;
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
