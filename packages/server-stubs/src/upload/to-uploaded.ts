import type { Answer } from '../runtime/index.ts';
import type { UploadInput, UploadResult } from './upload-handlers.ts';

/** D27: "form field `success_action_status` 200/201/204 is honoured". */
const STATUS_FIELD = 'success_action_status';
const STATUSES = ['200', '201', '204'];
const DEFAULT_STATUS = 204;

/** D27: "204 with an empty body, quoted MD5 `ETag`, `Location`". */
export function toUploaded({ etag, location }: UploadResult, { fields }: UploadInput): Answer {
  const wanted = fields.get(STATUS_FIELD) ?? '';
  return {
    status: STATUSES.includes(wanted) ? Number(wanted) : DEFAULT_STATUS,
    headers: { etag: etag.startsWith('"') ? etag : `"${etag}"`, location: toAscii(location) },
  };
}

/** A header holds ASCII alone; what is percent-encoded already stays so. */
function toAscii(address: string): string {
  return address.replace(/[^\x21-\x7E]+/gu, encodeURIComponent);
}
