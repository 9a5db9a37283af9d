import { UploadError } from '../errors/upload-error.ts';
import { pathOf } from '../internal/calls.ts';
import { readXmlError } from '../internal/read-xml-error.ts';
import { redact } from '../internal/redact.ts';
import type { UploadGrant } from '../internal/to-upload-grant.ts';
import type { UploadAnswer } from './upload-form.ts';

/**
 * The error of an upload target's answer. "A success carries no such element": an XML `Error` decides,
 * also with status 200, and so does any other status than 2xx.
 */
export function readUploadAnswer(
  { status, text, headers }: UploadAnswer,
  grant: UploadGrant,
  what: string,
): UploadError | undefined {
  const error = readXmlError(text);
  if (!error && status >= 200 && status < 300) return undefined;
  const secrets = secretsOf(grant);
  const show = (value: string | undefined) => value && redact(value, secrets);
  return new UploadError({
    what,
    method: 'POST',
    path: pathOf(grant.url),
    status,
    code: show(error?.Code),
    text: show(error?.Message),
    requestId: show(error?.RequestId) ?? headers.get('X-Request-Id') ?? undefined,
  });
}

/** What no error may show of a grant. */
export function secretsOf({ authorization, token, url }: UploadGrant): string[] {
  return [authorization, token, new URL(url).search];
}
