import { afterAll, describe, expect, test } from 'vitest';
import { createMock } from '../src/index.ts';
import { sendRaw } from './helpers/raw.ts';
import { type Grant, getGrant, postForm, read, toForm, upload } from './helpers/upload.ts';

const mock = await createMock();
afterAll(() => mock.close());

describe('what stores nothing', () => {
  test('a file beyond maxSessionBytes', async () => {
    await using small = await createMock({ maxSessionBytes: 10_000 });
    const grant = await getGrant(small, 'big');
    const big = 'x'.repeat(200_000);
    const response = await postForm(grant.url, toForm(grant, 'big'), big);
    expect(response.status).toBe(400);
    expect(await response.text()).toMatch(/<Code>EntityTooLarge<.*<Message>.*does not fit/s);
  });

  test('an aborted upload, which frees its space', async () => {
    await using small = await createMock({ maxSessionBytes: 10_000 });
    const grant = await getGrant(small, 'big');
    const form = toBeginning(grant, 'big', 'x'.repeat(6_000));
    const head =
      'POST / HTTP/1.1\r\nhost: localhost\r\ncontent-type: multipart/form-data; boundary=b\r\n';
    const chunk = `${form.length.toString(16)}\r\n${form}\r\n`;
    for (const bytes of [
      `${head}transfer-encoding: chunked\r\n\r\n${chunk}no chunk`,
      `${head}content-length: 9000\r\n\r\n${form}`,
    ]) {
      expect(await sendRaw(small, bytes, 'end')).not.toContain('HTTP/1.1 2');
    }
    // What is replaced frees its space, too.
    for (const letter of 'xyz') await upload(small, 'big', letter.repeat(4_500));
    expect(await read(small, grant.fileID)).toBe('z'.repeat(4_500));
  });
});

test.each([
  ['code=204', 204, ''],
  ['code=403', 403, '<Code>AccessDenied</Code>'],
  ['code=503', 503, '<Code>SlowDown</Code>'],
  ['code=500, dynamic=true', 500, '<Error><Code>'],
])('Prefer: %s returns what is documented, and stores nothing', async (prefer, status, text) => {
  const grant = await getGrant(mock, 'a.txt');
  const form = new FormData();
  for (const [name, value] of Object.entries(toForm(grant, 'a.txt'))) form.append(name, value);
  form.append('file', new Blob(['x']), 'a.txt');
  const headers = { prefer, accept: 'application/json' };
  const response = await fetch(grant.url, { method: 'POST', headers, body: form });
  expect([response.status, await response.text()]).toEqual([status, expect.stringContaining(text)]);
  expect(mock.session().files.list()).toEqual([]);
});

/** A form up to some content of its file, without its end. */
function toBeginning(grant: Grant, key: string, content: string): string {
  const head = '--b\r\ncontent-disposition: form-data; name="';
  const fields = Object.entries(toForm(grant, key)).map(
    ([name, value]) => `${head}${name}"\r\n\r\n${value}\r\n`,
  );
  return `${fields.join('')}${head}file"\r\n\r\n${content}`;
}
