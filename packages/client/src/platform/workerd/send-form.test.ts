import { afterEach, beforeEach, describe, expect, expectTypeOf, it, vi } from 'vitest';
import type { sendForm as sendFormInNode } from '../node/send-form.ts';
import type * as node from '../node.ts';
import type { UploadForm } from '../upload-form.ts';
import type * as workerd from '../workerd.ts';
import { sendForm } from './send-form.ts';

const lost = new Error('lost');
const slow = new Error('slow');
const HEAD =
  /name="key"\r\n\r\na\.txt\r\n.*filename="a\.txt"\r\nContent-Type: text\/plain\r\n\r\n$/s;

/** Reads the request body and returns the response. */
type Reply = (body: ReadableStream<Uint8Array>, init: RequestInit) => Promise<Response>;

let lengths: number[];
beforeEach(() => {
  lengths = [];
  vi.stubGlobal('IdentityTransformStream', TransformStream);
  vi.stubGlobal(
    'FixedLengthStream',
    class extends TransformStream {
      constructor(length: number) {
        super();
        lengths.push(length);
      }
    },
  );
});
afterEach(() => {
  vi.unstubAllGlobals();
});

const whole: Reply = async (body) => {
  for await (const _ of body);
  return new Response(null, { status: 204 });
};
const at =
  (status: number): Reply =>
  async () =>
    new Response('<Error/>', { status });

function send(reply: Reply, data: UploadForm['content']['data'], rest: Partial<UploadForm> = {}) {
  return sendForm({
    url: 'https://upload.example/?sign=1',
    fields: [['key', 'a.txt']],
    fileField: 'file',
    fileName: 'a.txt',
    content: {
      data,
      size: data instanceof Blob ? data.size : undefined,
      maxBytes: 9,
      type: 'text/plain',
      isReplayable: false,
    },
    report: undefined,
    signal: new AbortController().signal,
    idle: 0,
    fail: (cause) => (cause === undefined ? slow : lost),
    fetch: (_, init) => reply(init.body as ReadableStream<Uint8Array>, init),
    agent: undefined,
    ...rest,
  });
}

/** Returns a stream that yields one chunk and then hangs. */
function stuck() {
  const left = vi.fn();
  const data = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(Uint8Array.of(1)),
    cancel: left,
  });
  return { data, left };
}

describe('sendForm of Workers', () => {
  it('has the same shape as that of Node', () => {
    expectTypeOf<keyof typeof workerd>().toEqualTypeOf<keyof typeof node>();
    expectTypeOf<typeof sendForm>().toEqualTypeOf<typeof sendFormInNode>();
  });

  it('sends the form with its length, and only reports the progress of the file', async () => {
    const seen: number[] = [];
    let text = '';
    const { status } = await send(
      async (body) => {
        text = await new Response(body).text();
        return new Response(null, { status: 204 });
      },
      new Blob(['hello']),
      { report: (loaded) => seen.push(loaded) },
    );
    expect(status).toBe(204);
    expect(lengths).toEqual([text.length]);
    const [head = '', tail = ''] = text.split('hello');
    expect(head).toMatch(HEAD);
    expect(tail).toMatch(/^\r\n--berth-.*--\r\n$/);
    expect([...new Set(seen)]).toEqual([5]);
  });

  it('accepts strings and bytes in turn, without a length', async () => {
    async function* turns() {
      yield 'é';
      yield Uint8Array.of(33);
    }
    let text = '';
    await send(async (body) => {
      text = await new Response(body).text();
      return new Response();
    }, turns());
    expect(text).toContain('\r\n\r\né!\r\n--');
    expect(lengths).toEqual([]);
  });

  it('fails if the source fails or yields something else', async () => {
    const broken = new ReadableStream<Uint8Array>({
      pull: () => Promise.reject(new Error('of the source')),
    });
    await expect(send(whole, broken)).rejects.toThrow('of the source');
    const odd = new ReadableStream<never>({
      start: (controller) => controller.enqueue(7 as never),
    });
    await expect(send(whole, odd)).rejects.toThrow(TypeError);
    const long = new Blob(['0123456789']).stream();
    await expect(send(whole, long)).rejects.toThrow(RangeError);
  });

  it('fails with the connection', async () => {
    const { data, left } = stuck();
    await expect(send(() => Promise.reject(new Error('reset')), data)).rejects.toBe(lost);
    await expect.poll(() => left).toHaveBeenCalled();
  });

  it('treats an early response as a refusal, and stops reading', async () => {
    const { data, left } = stuck();
    expect(await send(at(403), data)).toMatchObject({ status: 403, text: '<Error/>' });
    expect(left).toHaveBeenCalled();
    await expect(send(at(200), stuck().data)).rejects.toBe(lost);
  });

  it('ends after an idle time, and with the signal', async () => {
    const hangs = stuck();
    await expect(send(whole, hangs.data, { idle: 5 })).rejects.toBe(slow);
    await expect.poll(() => hangs.left).toHaveBeenCalled();
    const { data, left } = stuck();
    const abort = new AbortController();
    const upload = send(whole, data, { signal: abort.signal });
    abort.abort(new Error('enough'));
    await expect(upload).rejects.toThrow('enough');
    await expect.poll(() => left).toHaveBeenCalled();
  });
});
