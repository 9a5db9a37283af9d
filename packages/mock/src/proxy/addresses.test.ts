import { expect, test } from 'vitest';
import { createKnownAddresses, rewriteAddresses } from './addresses.ts';

test('maps a URL back to the real one', () => {
  const addresses = createKnownAddresses();
  const real = 'https://store.example.com/b/%E4%B8%AD?sign=a%2Fb&x=1';
  const local = addresses.toLocal('link', real, 'http://a', 's');
  expect(local).toMatch(/^http:\/\/a\/files\/b\/%E4%B8%AD\?sign=[\w-]{36}&session=s$/);
  expect(addresses.find(local.slice('http://a'.length))?.href).toBe(real);
  expect(addresses.toLocal('link', real, 'http://a', 's')).toBe(local);
});

test.each(['', 'nothing', '/relative', 'ftp://a/b'])('does not change %j', (real) => {
  expect(createKnownAddresses().toLocal('upload', real, 'http://a', '')).toBe(real);
});

test.each(['/', '/?sign=', '/?sign=unknown', '/files/a?x=1'])('%s maps to nothing', (target) => {
  expect(createKnownAddresses().find(target)).toBeUndefined();
});

const rewrite = (operation: string, text: string) =>
  rewriteAddresses(operation, Buffer.from(text), (kind, real) => `${kind}(${real})`).toString();

test.each([
  [
    'getUploadMetaData',
    '{ "url" : "https:\\/\\/a/\\u4e2d", "token":"a\\"url\\":\\"b", "n": 1.0 }',
    '{ "url" : "upload(https://a/中)", "token":"a\\"url\\":\\"b", "n": 1.0 }',
  ],
  [
    'batchGetTempUrls',
    '[{"tempFileURL":""},{"tempFileURL":"b"}]',
    '[{"tempFileURL":""},{"tempFileURL":"link(b)"}]',
  ],
  ['batchDelete', '{"url":"a"}', '{"url":"a"}'],
])('%s', (operation, text, expected) => {
  expect(rewrite(operation, text)).toBe(expected);
});
