import { expect, test } from 'vitest';
import { createKnownAddresses, rewriteAddresses } from './addresses.ts';

test.each(['', 'nothing', '/relative', 'ftp://a/b'])('does not change %j', (real) => {
  expect(createKnownAddresses().toLocal('upload', real, 'http://a', '')).toBe(real);
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
