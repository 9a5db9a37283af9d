import { openDeadline, type Step } from '../../internal/deadline.ts';
import { sendWithFetch, toFormData } from '../form-data.ts';

import type { UploadForm, UploadResponse } from '../upload-form.ts';

/** Sends a form. Uses `XMLHttpRequest` if the caller wants progress, because `fetch` does not report it. */
export async function sendForm(form: UploadForm): Promise<UploadResponse> {
  if (!form.report || typeof XMLHttpRequest === 'undefined') return sendWithFetch(form);
  return sendWithXhr(form, await toFormData(form));
}

async function sendWithXhr(form: UploadForm, body: FormData): Promise<UploadResponse> {
  const { url, signal, idle, report, fileField, fail } = form;
  const { size } = body.get(fileField) as File;
  const request = new XMLHttpRequest();
  const { step } = openDeadline(signal, { perTry: idle }, () => fail());
  const send = ({ extend }: Step) =>
    new Promise<UploadResponse>((resolve, reject) => {
      request.upload.onprogress = ({ loaded, total }) => {
        extend(idle);
        try {
          // The file is the last field, so everything before it has already been sent.
          report?.(Math.min(size, Math.max(0, loaded - (total - size))));
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
  try {
    return await step(send);
  } catch (error) {
    request.abort();
    throw error;
  }
}
