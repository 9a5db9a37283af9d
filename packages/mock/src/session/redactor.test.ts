import { defaultWireProfile } from '@berth/spec/wire-profile';
import { expect, test } from 'vitest';
import { createRedactor } from './redactor.ts';

const redactor = createRedactor(defaultWireProfile);

test.each([
  ['authorization', 'Bearer secret', 'Bearer …'],
  ['authorization', 'TC3-HMAC-SHA256 Credential=secret/a, Signature=secret', 'TC3-HMAC-SHA256 …'],
  ['x-svc-authorization', '1.0 TC3-HMAC-SHA256 Credential=secret', '1.0 TC3-HMAC-SHA256 …'],
  ['x-svc-sessiontoken', 'secret', '…'],
  ['x-svc-timestamp', '1700000000', '1700000000'],
  ['set-cookie', 'a=secret', '…'],
  ['sec-websocket-protocol', 'chat, berth.bearer.secret, b', 'chat, berth.bearer.…, b'],
  ['location', '/files/a?expires=1&sign=secret&session=b', '/files/a?expires=1&sign=…&session=b'],
  ['content-type', 'text/plain', 'text/plain'],
])('%s: %s', (name, value, shown) => {
  expect(redactor.header(name, value)).toBe(shown);
});

const form = (fields: Record<string, string>) =>
  Buffer.concat([
    ...Object.entries(fields).map(([name, value]) =>
      Buffer.from(`--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`),
    ),
    Buffer.from(
      '--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\nContent-Type: image/png\r\n\r\n',
    ),
    Buffer.from([0, 255, 254, 13, 10]),
    Buffer.from('\r\n--b--\r\n'),
  ]);

test('removes the grant from a form, and leaves its file unchanged', () => {
  const fields = { signature: 'secret&\nmore', 'X-Store-Security-Token': 'secret', key: '中.txt' };
  const shown = redactor.request('upload', form(fields));
  const hidden = { signature: '…', 'X-Store-Security-Token': '…', key: '中.txt' };
  expect(Buffer.from(shown)).toEqual(form(hidden));
});

test('redacts a form that is cut off inside a token', () => {
  const whole = form({ Signature: 'secret'.repeat(10) });
  const part = whole.subarray(0, whole.indexOf('secret') + 30);
  expect(Buffer.from(redactor.request('upload', part)).toString()).not.toContain('secret');
});

test.each([
  [
    { url: '/', token: 'se"cr\\et', authorization: 'secret', fileID: 'cloud://a' },
    { url: '/', token: '…', authorization: '…', fileID: 'cloud://a' },
  ],
  [
    { tempFileURL: 'http://a/files/中?expires=1&sign=secret&session=b', code: 'SUCCESS' },
    { tempFileURL: 'http://a/files/中?expires=1&sign=…&session=b', code: 'SUCCESS' },
  ],
])('removes grants and signatures from a storage response', (data, shown) => {
  const bytes = redactor.response('storage', Buffer.from(JSON.stringify({ body: { data } })));
  expect(JSON.parse(Buffer.from(bytes).toString())).toEqual({ body: { data: shown } });
});
