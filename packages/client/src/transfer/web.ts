import { readText } from '../body.ts';
import { optionsError } from '../errors.ts';
import { isStream } from '../streams.ts';
import type { UploadForm, UploadResponse } from './form.ts';
import { FILE_FIELD, MAX_RESPONSE, readStream } from './form.ts';

export { throwNoLocalFiles as fileSize, throwNoLocalFiles as saveFile };

async function throwNoLocalFiles(..._: unknown[]): Promise<never> {
  throw optionsError('Local files are only supported in Node.');
}

export async function sendForm(form: UploadForm): Promise<UploadResponse> {
  const file = await toBlob(form);
  const data = new FormData();
  for (const [name, value] of form.fields) data.append(name, value);
  data.append(FILE_FIELD, file, form.fileName);
  const hasProgress = form.report && typeof XMLHttpRequest !== 'undefined';
  return hasProgress ? sendWithProgress(form, data, file.size) : sendWithFetch(form, data);
}

/** `fetch` does not show whether bytes flow, so the idle limit applies only to the response. */
async function sendWithFetch({ url, watch, context }: UploadForm, body: FormData) {
  try {
    const { signal } = watch;
    const { platformFetch = globalThis.fetch } = context;
    // A redirect would send the grant elsewhere, and the contract has no redirects.
    const response = await platformFetch(url, { method: 'POST', body, signal, redirect: 'manual' });
    watch.restart();
    const { status, headers } = response;
    return { status, headers, text: await readText(response, MAX_RESPONSE) };
  } catch (error) {
    throw watch.toNetworkError(error);
  }
}

function sendWithProgress(form: UploadForm, body: FormData, size: number): Promise<UploadResponse> {
  const { url, watch } = form;
  const request = new XMLHttpRequest();
  watch.restart();
  return new Promise((resolve, reject) => {
    watch.signal.addEventListener('abort', () => request.abort());
    request.upload.onprogress = ({ loaded, total }) => {
      watch.restart();
      try {
        // The file is the last field, so everything before it has already been sent.
        form.report?.(Math.min(size, Math.max(0, loaded - (total - size))));
      } catch (error) {
        reject(error);
      }
    };
    request.onload = () => {
      const { responseText: text, responseURL } = request;
      // Redirects cannot be turned off, but they do not count as success.
      const status = responseURL === new URL(url).href.replace(/#.*/, '') ? request.status : 0;
      const lines = request.getAllResponseHeaders().match(/.+/g) ?? [];
      const headers = lines.map((line) => line.split(/:(.*)/, 2));
      resolve({ status, text, headers: new Headers(headers as [string, string][]) });
    };
    request.onerror = () => reject(watch.toNetworkError('The connection failed.'));
    request.open('POST', url);
    request.send(body);
  });
}

async function toBlob({ content, watch }: UploadForm): Promise<Blob> {
  const { data, type } = content;
  if (!isStream(data)) return new Blob([data as Blob], { type });
  const parts: Blob[] = [];
  for await (const chunk of readStream(data, content, watch.signal)) {
    // A stream may use its buffer again, and a Blob copies.
    parts.push(new Blob([chunk]));
  }
  return new Blob(parts, { type });
}
