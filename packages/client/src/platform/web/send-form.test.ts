import vm from 'node:vm';
import { afterEach, describe, expect, expectTypeOf, it, vi } from 'vitest';
import type { sendForm as sendFormInNode } from '../node/send-form.ts';
import type * as node from '../node.ts';
import type { UploadForm } from '../upload-form.ts';
import type * as web from '../web.ts';
import { toSizedContent } from '../web.ts';
import { sendForm } from './send-form.ts';

/** A fake of the browser's, which a test steps through. */
class FakeXhr {
  static last: FakeXhr;
  upload: { onprogress?: (event: { loaded: number; total: number }) => void } = {};
  onload?: () => void;
  onerror?: () => void;
  onloadend?: () => void;
  status = 204;
  responseText = '';
  sent = Promise.withResolvers<FormData>();
  aborted = false;
  url = '';
  constructor() {
    FakeXhr.last = this;
  }
  open(_: string, url: string) {
    this.url = url;
  }
  send(body: FormData) {
    this.sent.resolve(body);
  }
  abort() {
    this.aborted = true;
    this.onloadend?.();
  }
  getResponseHeader(name: string) {
    return name === 'X-Request-Id' ? 'r-1' : null;
  }
}

const lost = new Error('lost');
const slow = new Error('slow');
function form(rest: Partial<UploadForm> = {}): UploadForm {
  return {
    url: 'https://upload.example/?sign=1',
    fields: [['key', 'a.txt']],
    fileField: 'file',
    fileName: 'a.txt',
    content: {
      data: new Blob(['hello']),
      size: 5,
      maxBytes: 9,
      type: 'text/plain',
      isReplayable: true,
    },
    report: () => {},
    signal: new AbortController().signal,
    idle: 0,
    fail: (cause) => (cause === undefined ? slow : lost),
    fetch: () => expect.unreachable(),
    agent: undefined,
    ...rest,
  };
}
const start = async (rest?: Partial<UploadForm>) => {
  vi.stubGlobal('XMLHttpRequest', FakeXhr);
  const response = sendForm(form(rest));
  response.catch(() => {});
  await expect.poll(() => FakeXhr.last).toBeDefined();
  return { response, xhr: FakeXhr.last };
};
afterEach(() => {
  vi.unstubAllGlobals();
  FakeXhr.last = undefined as never;
});

describe('sendForm of browsers', () => {
  it('has the same shape as that of Node', () => {
    expectTypeOf<keyof typeof web>().toEqualTypeOf<keyof typeof node>();
    expectTypeOf<typeof sendForm>().toEqualTypeOf<typeof sendFormInNode>();
  });

  it('only reports the progress of the file', async () => {
    const seen: number[] = [];
    const { response, xhr } = await start({ report: (loaded) => seen.push(loaded) });
    const body = await xhr.sent.promise;
    expect([...body.keys()]).toEqual(['key', 'file']);
    for (const loaded of [50, 103, 105]) xhr.upload.onprogress?.({ loaded, total: 105 });
    xhr.onload?.();
    const { status, headers } = await response;
    expect([status, headers.get('X-Request-Id')]).toEqual([204, 'r-1']);
    expect(seen).toEqual([0, 3, 5]);
    expect(xhr.url).toBe('https://upload.example/?sign=1');
  });

  it('fails with the connection', async () => {
    const { response, xhr } = await start();
    await xhr.sent.promise;
    xhr.onerror?.();
    await expect(response).rejects.toBe(lost);
  });

  it('ends with the signal, before and in the middle', async () => {
    const controller = new AbortController();
    const { response, xhr } = await start({ signal: controller.signal });
    await xhr.sent.promise;
    controller.abort(new Error('enough'));
    await expect(response).rejects.toThrow('enough');
    expect(xhr.aborted).toBe(true);
    const early = await start({ signal: controller.signal });
    await expect(early.response).rejects.toThrow('enough');
  });

  it('ends after an idle time', async () => {
    const { response } = await start({ idle: 5 });
    await expect(response).rejects.toBe(slow);
  });

  it('uses fetch if progress is not wanted', async () => {
    vi.stubGlobal('XMLHttpRequest', FakeXhr);
    const fetch = async () => new Response(null, { status: 204 });
    const { status } = await sendForm(form({ report: undefined, fetch }));
    expect(status).toBe(204);
    expect(FakeXhr.last).toBeUndefined();
  });

  it.each([
    ['a stream', () => new Blob(['0123456789']).stream()],
    [
      'an iterable',
      () =>
        (async function* () {
          yield '0123456789';
        })(),
    ],
  ])('buffers no more than maxBytes of %s', async (_, make) => {
    const content = { ...form().content, data: make(), size: undefined };
    await expect(sendForm(form({ report: undefined, content }))).rejects.toThrow(RangeError);
  });
});

describe('content in browsers', () => {
  const realm = (code: string): ArrayBuffer => vm.runInNewContext(code);

  it.each<[string, string | ArrayBuffer | ArrayBufferView]>([
    ['a text', 'hé'],
    ['bytes', new TextEncoder().encode('hé')],
    ['an ArrayBuffer', new TextEncoder().encode('hé').buffer],
    ['an ArrayBuffer of another realm', realm('new Uint8Array([104, 195, 169]).buffer')],
  ])('is a Blob of %s', async (_, data) => {
    expect(await toSizedContent(data).text()).toBe('hé');
  });
});
