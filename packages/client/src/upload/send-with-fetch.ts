import { toFetchBody } from '#platform';
import { openDeadline } from '../internal/pipeline/deadline.ts';
import { toFormData } from './to-form-data.ts';
import type { UploadAnswer, UploadForm } from './upload-form.ts';

/** The slowest upload that is waited for where nothing tells whether it moves: bytes a millisecond. */
const SLOWEST = 64;

/** Sends a form by `fetch`, with progress at its beginning and end only. */
export async function sendWithFetch(form: UploadForm): Promise<UploadAnswer> {
  const { fileField, idle, report, signal } = form;
  const data = await toFormData(form);
  const { size } = data.get(fileField) as File;
  const { step } = openDeadline(signal, { perTry: idle && idle + Math.ceil(size / SLOWEST) }, () =>
    form.fail(),
  );
  report?.(0);
  return step(async ({ signal: ends }) => {
    try {
      const response = await form.fetch(form.url, {
        method: 'POST',
        body: toFetchBody(form, data),
        signal: ends(),
        // A redirect would carry the grant to another address; the contract knows none.
        redirect: 'manual',
      });
      const text = await response.text();
      report?.(size);
      return { status: response.status, text, headers: response.headers };
    } catch (cause) {
      throw form.fail(cause);
    }
  });
}
