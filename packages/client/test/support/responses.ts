import { vi } from 'vitest';

export const json = (body: unknown, init: ResponseInit = {}) => Response.json(body, init);

export function refused(code: string, status: number, headers: Record<string, string> = {}) {
  const body = { code, message: '', requestId: 'r' };
  return json(body, { status, headers: { 'X-Request-Id': 'r', ...headers } });
}

/** A storage response in its envelope. */
export const envelope = (body: object, status = 200) =>
  json({ statusCode: status, body: { requestId: 'r-1', ...body } }, { status });

export const list = (...fileList: object[]) => envelope({ data: { fileList } });

/** A storage response with a link to the file `a`. */
export const linked = (tempFileURL = 'https://h/a') =>
  list({ fileID: 'a', code: 'SUCCESS', tempFileURL });

/** Upload metadata whose grant must not appear in errors. */
export const meta = {
  url: 'https://upload.example/bucket?sign=5ec4e7-in-url',
  token: 'token-5ec4e7',
  authorization: 'q-sign-algorithm=sha256&q-signature=5ec4e7',
  fileID: 'cloud://dev.files/a.txt',
  storeFileID: 'store-1',
};

/** Returns a body without an end, which counts its pieces of 1 MiB. */
export function endless() {
  const pull = vi.fn((controller) => controller.enqueue(new Uint8Array(2 ** 20)));
  return { body: new ReadableStream<Uint8Array>({ pull }), count: () => pull.mock.calls.length };
}
