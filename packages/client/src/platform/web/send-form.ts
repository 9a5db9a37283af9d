import { sendWithFetch } from '../../upload/send-with-fetch.ts';
import { toFormData } from '../../upload/to-form-data.ts';
import type { UploadAnswer, UploadForm } from '../../upload/upload-form.ts';

/** Sends a form: by `XMLHttpRequest` where progress is asked for, which `fetch` does not tell. */
export async function sendForm(form: UploadForm): Promise<UploadAnswer> {
  if (!form.report || typeof XMLHttpRequest === 'undefined') return sendWithFetch(form);
  return sendWithXhr(form, await toFormData(form));
}

function sendWithXhr(form: UploadForm, body: FormData): Promise<UploadAnswer> {
  const { signal, idle, report, fileField } = form;
  const { size } = body.get(fileField) as File;
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = (error: unknown) => {
      reject(error);
      request.abort();
    };
    const onAbort = () => stop(signal.reason);
    const wait = () => {
      clearTimeout(timer);
      if (idle) timer = setTimeout(() => stop(form.fail()), idle);
    };
    request.open('POST', form.url);
    request.upload.onprogress = ({ loaded, total }) => {
      wait();
      try {
        // The file is the last field, so that all that comes before it is sent before it.
        report?.(Math.min(size, Math.max(0, loaded - (total - size))));
      } catch (error) {
        stop(error);
      }
    };
    request.onload = () =>
      resolve({
        status: request.status,
        text: request.responseText,
        headers: { get: (name) => request.getResponseHeader(name) },
      });
    request.onerror = () => reject(form.fail(new TypeError('The connection failed.')));
    request.onloadend = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
    };
    if (signal.aborted) return onAbort();
    signal.addEventListener('abort', onAbort);
    wait();
    request.send(body);
  });
}
