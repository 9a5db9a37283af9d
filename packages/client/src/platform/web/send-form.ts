import { sendWithFetch, toFormData } from '../form-data.ts';
import type { UploadForm, UploadResponse } from '../upload-form.ts';

/** Sends a form. Uses `XMLHttpRequest` if the caller wants progress, because `fetch` does not report it. */
export async function sendForm(form: UploadForm): Promise<UploadResponse> {
  const { url, limits, idle, report, fileField, fail } = form;
  if (!report || typeof XMLHttpRequest === 'undefined') return sendWithFetch(form);
  const body = await toFormData(form);
  const { size } = body.get(fileField) as File;
  const request = new XMLHttpRequest();
  limits.extend(idle);
  limits.signal().addEventListener('abort', () => request.abort());
  return new Promise((resolve, reject) => {
    request.upload.onprogress = ({ loaded, total }) => {
      limits.extend(idle);
      try {
        // The file is the last field, so everything before it has already been sent.
        report(Math.min(size, Math.max(0, loaded - (total - size))));
      } catch (error) {
        reject(error);
      }
    };
    request.onload = () => {
      const { status, responseText: text } = request;
      resolve({ status, text, headers: { get: (name) => request.getResponseHeader(name) } });
    };
    request.onerror = () => reject(fail('The connection failed.'));
    request.open('POST', url);
    request.send(body);
  });
}
