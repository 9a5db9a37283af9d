import { fileToBlob, toFetchBody } from '#platform';
import { isStream } from '../internal/to-body.ts';
import { assertLength, openSource, type UploadForm, type UploadResponse } from './upload-form.ts';

/** Assumed minimum speed of an upload whose progress is unknown, in bytes per millisecond. */
const SLOWEST = 64;

/** Sends a form with `fetch`, which reports progress only at the beginning and at the end. */
export async function sendWithFetch(form: UploadForm): Promise<UploadResponse> {
  const { fileField, limits, idle, report } = form;
  const data = await toFormData(form);
  const { size } = data.get(fileField) as File;
  limits.extend(idle && idle + Math.ceil(size / SLOWEST));
  report?.(0);
  try {
    const response = await form.fetch(form.url, {
      method: 'POST',
      body: toFetchBody(form, data),
      signal: limits.signal(),
      // A redirect would send the grant elsewhere, and the contract has no redirects.
      redirect: 'manual',
    });
    const text = await response.text();
    report?.(size);
    return { status: response.status, text, headers: response.headers };
  } catch (cause) {
    throw form.fail(cause);
  }
}

/**
 * Builds the form with its content in memory, for `fetch` and `XMLHttpRequest`. It may take any time to read the
 * content.
 */
export async function toFormData(form: UploadForm): Promise<FormData> {
  form.limits.extend(0);
  const data = new FormData();
  for (const [name, value] of form.fields) data.append(name, value);
  data.append(form.fileField, await gather(form), form.fileName);
  return data;
}

async function gather({ content, limits }: UploadForm): Promise<Blob> {
  const { data, type } = content;
  const toBlob = (parts: unknown[]) => new Blob(parts as Blob[], { type });
  if ('file' in data) return toBlob([await fileToBlob(data.file)]);
  if (!isStream(data)) return toBlob([data]);

  const next = openSource(data, limits.signal());
  const parts: Blob[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = await next();
    if (done || value === undefined) break;
    const part = toBlob([value]);
    parts.push(part);
    size += part.size;
    assertLength(content, size, false);
  }
  assertLength(content, size, true);
  return toBlob(parts);
}
