import { fileSize, toWhole } from '#platform';
import { assertInteger } from '../internal/assert-integer.ts';
import { isRecord } from '../internal/is-record.ts';
import { assertUnread, isArrayBuffer, isStream } from '../internal/to-body.ts';
import { assertLength } from './assert-length.ts';
import type { FileSource, UploadData } from './upload-data.ts';
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
 * @throws TypeError where it is nothing that can be uploaded, or a stream that is spent
 * @throws RangeError where it is longer than `maxBytes`, or not as long as `size` says
 */
export async function toContent(
  given: UploadData,
  { contentType, size: told, maxBytes = Number.POSITIVE_INFINITY }: ContentOptions,
): Promise<UploadContent> {
  const data = isWhole(given) ? toWhole(given) : given;
  let size: number | undefined;
  if (data instanceof Blob) size = data.size;
  else if (ArrayBuffer.isView(data)) size = data.byteLength;
  else if (isRecord(data) && 'file' in data) size = await fileSize((data as FileSource).file);
  else if (!isStream(data)) {
    throw new TypeError('The content is no Blob, bytes, string, stream or { file }.');
  } else assertUnread(data);
  assertInteger('size', told, 0);
  const known = size ?? told;
  if (known !== undefined) assertLength({ size: told, maxBytes }, known, true);
  const type = contentType ?? ((data instanceof Blob && data.type) || 'application/octet-stream');
  return { data, size: known, maxBytes, type, isReplayable: size !== undefined };
}

function isWhole(data: UploadData): data is string | ArrayBuffer | ArrayBufferView {
  return typeof data === 'string' || isArrayBuffer(data) || ArrayBuffer.isView(data);
}
