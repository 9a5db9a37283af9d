import vm from 'node:vm';
import { afterEach, describe, expect, expectTypeOf, it, vi } from 'vitest';
import { openDeadline } from '../internal/deadline.ts';
import { type sendForm as sendInNode, toRequestTarget } from './node/send-form.ts';
import type * as node from './node.ts';
import type { UploadForm } from './upload-form.ts';
import { sendForm as sendInPage } from './web/send-form.ts';
import * as web from './web.ts';

// What these senders do on their platforms is tested there, by test/platforms. Here are the faults.
const lost = new Error('lost');
const slow = new Error('slow');

function send(sender: typeof sendInNode, rest: Partial<UploadForm>) {
  const fail = (cause?: unknown) => (cause === undefined ? slow : lost);
  return openDeadline(undefined, { perTry: rest.idle ?? 0 }, () => fail()).step((limits) =>
    sender({
      url: 'https://upload.example/?sign=1',
      fields: [['key', 'a.txt']],
      fileField: 'file',
      fileName: 'a.txt',
      content: { data: new Blob(['a']), size: 1, maxBytes: 9, type: '', isReplayable: true },
      report: () => {},
      limits,
      idle: 0,
      fail,
      fetch: () => expect.unreachable(),
      agent: undefined,
      ...rest,
    }),
  );
}

afterEach(() => void vi.unstubAllGlobals());

it('every platform has the same functions', () => {
  expectTypeOf<keyof typeof web>().toEqualTypeOf<keyof typeof node>();
  expectTypeOf(sendInPage).toEqualTypeOf<typeof sendInNode>();
});

describe('an XMLHttpRequest', () => {
  const abort = vi.fn();
  class FakeXhr {
    upload = {};
    onerror?: () => void;
    open() {}
    send() {
      this.onerror?.();
    }
    abort = abort;
  }

  it('fails with its connection', async () => {
    vi.stubGlobal('XMLHttpRequest', FakeXhr);
    await expect(send(sendInPage, {})).rejects.toBe(lost);
  });

  it('is aborted after an idle time', async () => {
    vi.stubGlobal(
      'XMLHttpRequest',
      class extends FakeXhr {
        override send() {}
      },
    );
    abort.mockClear();
    await expect(send(sendInPage, { idle: 5 })).rejects.toBe(slow);
    expect(abort).toHaveBeenCalled();
  });
});

it('a page accepts an ArrayBuffer of another realm', async () => {
  const bytes: ArrayBuffer = vm.runInNewContext('new Uint8Array([104, 105]).buffer');
  expect(await web.toSizedContent(bytes).text()).toBe('hi');
});

it.each([
  ['http://h/', '/'],
  ['http://h', '/'],
  ['http://h?a=1', '/?a=1'],
  ['http://h:1/a/../b/%2e%2e/c?x=a%2Fb&y=\'"|{}', '/a/../b/%2e%2e/c?x=a%2Fb&y=\'"|{}'],
  ['http://h/a#b', '/a'],
  ['http://h/a b?c=中', '/a%20b?c=%E4%B8%AD'],
])('Node keeps the path and query of %s', (url, target) => {
  expect(toRequestTarget(url)).toBe(target);
});
