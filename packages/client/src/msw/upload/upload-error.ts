import { HttpResponse } from 'msw';
import { UPLOAD_ERRORS } from '../../generated/msw.gen.ts';
import { type ErrorArguments, toError } from '../error-options.ts';

/**
 * An error of the upload target: an XML document with an `Error` element (D27).
 *
 * @example
 * server.use(berth.uploads.uploadFile(() => uploadError('EntityTooLarge')));
 */
export function uploadError(...[code, options]: ErrorArguments<typeof UPLOAD_ERRORS>): Response {
  const { status, message, requestId, headers } = toError(UPLOAD_ERRORS, code, options);
  return toXml(code, { status, message, requestId, headers });
}

/** The error of a link to a file that is gone. */
export function missingFile(code: string, message: string): Response {
  return toXml(code, toError({}, code, { status: 404, message }));
}

function toXml(
  code: string,
  { status, message, requestId, headers }: ReturnType<typeof toError>,
): Response {
  const fields = { Code: code, Message: message, RequestId: requestId, TraceId: requestId };
  const elements = Object.entries(fields).map(
    ([name, text]) => `<${name}>${escapeXml(text)}</${name}>`,
  );
  headers.set('Content-Type', 'application/xml');
  const declaration = '<?xml version="1.0" encoding="UTF-8"?>';
  return new HttpResponse(`${declaration}<Error>${elements.join('')}</Error>`, { status, headers });
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
