import { XMLBuilder } from 'fast-xml-parser';
import { storageErrors, uploadErrors } from '../contract/defaults.ts';
import type { Answer } from '../http/answer.ts';
import type { Call } from '../http/call.ts';
import type { Refusal } from '../refusal.ts';
import { decodeSegment } from '../routing/request-target.ts';

const xml = new XMLBuilder({ ignoreAttributes: false });

/** The codes of upload target and links for what can happen on every surface. */
export const UPLOAD_CODES = {
  tooLarge: 'EntityTooLarge',
  failed: 'InternalError',
  broken: 'MalformedPOSTRequest',
  timedOut: 'RequestTimeout',
};

/** D27: "Errors: XML `Error` with `Code`, `Message`, `Resource`, `RequestId`, `TraceId`". */
export function toUploadError({ code, message, status, headers }: Refusal, call: Call): Answer {
  const row = uploadErrors.get(code);
  return toXml(status ?? row.status, code, message || row.message, call, headers);
}

/** The error of a link to a file that is gone; the table of the upload target has none for it. */
export function toMissingFile(call: Call): Answer {
  const { code, message } = storageErrors.get('STORAGE_FILE_NONEXIST');
  return toXml(404, code, message, call, {});
}

function toXml(
  status: number,
  code: string,
  message: string,
  { path, requestId }: Call,
  headers: Record<string, string>,
): Answer {
  const error = {
    Code: code,
    Message: message,
    Resource: decodeSegment(path) ?? path,
    RequestId: requestId,
    TraceId: requestId,
  };
  const document = {
    '?xml': { '@_version': '1.0', '@_encoding': 'UTF-8' },
    Error: Object.fromEntries(Object.entries(error).map(([name, text]) => [name, toXmlText(text)])),
  };
  return {
    status,
    headers: { 'content-type': 'application/xml', ...headers },
    body: xml.build(document),
  };
}

/** XML 1.0, section 2.2: what is none of its characters cannot be written at all. */
function toXmlText(text: string): string {
  return text.replace(/[^\t\n\r\x20-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '\uFFFD');
}
