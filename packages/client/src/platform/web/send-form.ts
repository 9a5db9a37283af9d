import { guard } from '../../internal/pipeline/guard.ts';
import { sendWithFetch } from '../../upload/send-with-fetch.ts';
import { toFormData } from '../../upload/to-form-data.ts';
import type { UploadAnswer, UploadForm } from '../../upload/upload-form.ts';

/** Sends a form: by `XMLHttpRequest` where progress is asked for, which `fetch` does not tell. */
export async function sendForm(form: UploadForm): Promise<UploadAnswer> {
  if (!form.report || typeof XMLHttpRequest === 'undefined') return sendWithFetch(form);
  return sendWithXhr(form, await toFormData(form));
}

async function sendWithXhr(form: UploadForm, body: FormData): Promise<UploadAnswer> {
  const { url, signal, idle, report, fileField } = form;
  const { size } = body.get(fileField) as File;
  const request = new XMLHttpRequest();
  const broken = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const wait = () => {
    clearTimeout(timer);
    if (idle) timer = setTimeout(() => broken.abort(form.fail()), idle);
  };
  const answer = new Promise<UploadAnswer>((resolve, reject) => {
    request.upload.onprogress = ({ loaded, total }) => {
      wait();
      try {
        // The file is the last field, so that all that comes before it is sent before it.
        report?.(Math.min(size, Math.max(0, loaded - (total - size))));
      } catch (error) {
        broken.abort(error);
      }
    };
    request.onload = () => {
      const { status, responseText: text } = request;
      resolve({ status, text, headers: { get: (name) => request.getResponseHeader(name) } });
    };
    request.onerror = () => reject(form.fail(new TypeError('The connection failed.')));
  });
  try {
    signal.throwIfAborted();
    request.open('POST', url);
    wait();
    request.send(body);
    return await guard(answer, signal, broken.signal);
  } catch (error) {
    request.abort();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}
