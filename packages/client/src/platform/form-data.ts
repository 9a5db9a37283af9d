import { fileToBlob, toFetchBody } from '#platform';
import { openDeadline } from '../internal/deadline.ts';
import { isStream } from '../internal/to-body.ts';
import { openSource } from './stream-form.ts';
import {
  assertLength,
  type UploadContent,
  type UploadForm,
  type UploadResponse,
} from './upload-form.ts';

/** Assumed minimum speed of an upload whose progress is unknown, in bytes per millisecond. */
const SLOWEST = 64;

/** Sends a form with `fetch`, which reports progress only at the beginning and at the end. */
export async function sendWithFetch(form: UploadForm): Promise<UploadResponse> {
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
        // A redirect would send the grant elsewhere, and the contract has no redirects.
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

/** Builds the form with its content in memory, for `fetch` and `XMLHttpRequest`. */
export async function toFormData({
  fields,
  fileField,
  fileName,
  content,
  signal,
}: UploadForm): Promise<FormData> {
  const form = new FormData();
  for (const [name, value] of fields) form.append(name, value);
  form.append(fileField, await gather(content, signal), fileName);
  return form;
}

async function gather(content: UploadContent, signal: AbortSignal): Promise<Blob> {
  const { data, type } = content;
  const toBlob = (parts: unknown[]) => new Blob(parts as Blob[], { type });
  if ('file' in data) return toBlob([await fileToBlob(data.file)]);
  if (!isStream(data)) return toBlob([data]);

  const source = openSource(data);
  const { step } = openDeadline(signal);
  const parts: Blob[] = [];
  let size = 0;
  try {
    for (;;) {
      const { done, value } = await step(() => source.next());
      if (done || value === undefined) break;
      const part = toBlob([value]);
      parts.push(part);
      size += part.size;
      assertLength(content, size, false);
    }
  } catch (error) {
    source.leave(error);
    throw error;
  }
  assertLength(content, size, true);
  return toBlob(parts);
}
