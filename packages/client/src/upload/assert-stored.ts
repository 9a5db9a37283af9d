import { UploadError } from '../errors/upload-error.ts';
import { describeAnswer } from '../internal/describe-answer.ts';
import { readXmlError } from '../internal/read-xml-error.ts';
import type { UploadGrant } from './to-grant.ts';
import type { UploadAnswer } from './upload-form.ts';

/**
 * Judges an upload target's answer. "A success carries no such element": an XML `Error` decides, also
 * with status 200, and so does any other status than 2xx.
 *
 * @throws UploadError where nothing was stored
 */
export function assertStored(answer: UploadAnswer, grant: UploadGrant, what: string): void {
  const { status, text } = answer;
  const error = readXmlError(text);
  if (!error && status >= 200 && status < 300) return;
  const { Code: code, Message: message, RequestId: requestId } = error ?? {};
  throw new UploadError(describeAnswer(answer, what, { code, message, requestId }, grant));
}
