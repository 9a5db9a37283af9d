import { UploadError } from '../errors/upload-error.ts';
import { rememberCall } from '../internal/calls.ts';
import { describeAnswer } from '../internal/describe-answer.ts';
import { readXmlError } from '../internal/read-xml-error.ts';
import type { UploadGrant } from './to-grant.ts';
import type { UploadAnswer } from './upload-form.ts';

/**
 * The error of an upload target's answer. "A success carries no such element": an XML `Error` decides,
 * also with status 200, and so does any other status than 2xx.
 */
export function readUploadAnswer(
  answer: UploadAnswer,
  grant: UploadGrant,
  what: string,
): UploadError | undefined {
  const { status, text } = answer;
  const error = readXmlError(text);
  if (!error && status >= 200 && status < 300) return undefined;
  rememberCall(answer, { ...grant, method: 'POST' });
  const { Code: code, Message: message, RequestId: requestId } = error ?? {};
  return new UploadError(describeAnswer(answer, what, { code, message, requestId }));
}
