import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { request } from 'node:http';
import { XMLParser } from 'fast-xml-parser';
import { afterAll, describe, expect, test } from 'vitest';
import { createMock } from '../src/index.ts';
import { sendRaw } from './helpers/raw.ts';
import { type Grant, getGrant, getLink, postForm, read, toForm, upload } from './helpers/upload.ts';

const mock = await createMock();
afterAll(() => mock.close());

const FILE = new Blob(['content'], { type: 'text/css' });
const parseError = async (response: Response) =>
  new XMLParser({ parseTagValue: false }).parse(await response.text()).Error;

describe('a valid form', () => {
  test('stores the bytes with their type', async () => {
    const grant = await getGrant(mock, 'good/a.css');
    const response = await postForm(grant.url, toForm(grant, 'good/a.css'), FILE);
    expect(response.status).toBe(204);
    expect(await response.text()).toBe('');
    const md5 = createHash('md5').update('content').digest('hex');
    expect(response.headers.get('etag')).toBe(`"${md5}"`);
    expect(response.headers.get('location')).toBe(`${mock.url}/files/good/a.css`);
    const download = await fetch(await getLink(mock, grant.fileID));
    expect(download.headers.get('content-type')).toBe('text/css');
    expect(download.headers.get('etag')).toBe(`"${md5}"`);
    expect(await download.text()).toBe('content');
  });

  test.each([
    ['200', 200],
    ['201', 201],
    ['204', 204],
    ['404', 204],
    ['0xC8', 204],
    ['many', 204],
  ])('success_action_status=%s responds with %i', async (wanted, status) => {
    const grant = await getGrant(mock, 'status.txt');
    const fields = { ...toForm(grant, 'status.txt'), success_action_status: wanted };
    const response = await postForm(grant.url, fields, FILE);
    expect(response.status).toBe(status);
    expect(await response.text()).not.toContain('Error');
  });

  test('names are case-insensitive, and the key may begin with a slash', async () => {
    const grant = await getGrant(mock, 'case.txt');
    const form = Object.entries(toForm(grant, '/case.txt'));
    const shouted = Object.fromEntries(form.map(([name, value]) => [name.toUpperCase(), value]));
    expect((await postForm(grant.url, shouted, FILE)).status).toBe(204);
  });

  test('what comes after the file is ignored', async () => {
    const grant = await getGrant(mock, 'after.txt');
    const form = new FormData();
    for (const [name, value] of Object.entries(toForm(grant, 'after.txt')))
      form.append(name, value);
    form.append('file', FILE);
    form.append('key', 'other.txt');
    form.append('note', 'x'.repeat(5_000));
    form.append('file', new Blob(['second']));
    expect((await fetch(grant.url, { method: 'POST', body: form })).status).toBe(204);
    expect(await read(mock, grant.fileID)).toBe('content');
  });

  test('a file replaces an older one, an empty one too', async () => {
    const fileID = await upload(mock, 'twice.txt', 'first');
    await upload(mock, 'twice.txt', '');
    expect(await read(mock, fileID)).toBe('');
  });

  test('a megabyte of every byte comes back as it went', async () => {
    const bytes = Buffer.alloc(1_000_003, Buffer.from(Array.from({ length: 256 }, (_, i) => i)));
    const grant = await getGrant(mock, 'bytes');
    await postForm(grant.url, toForm(grant, 'bytes'), new Blob([bytes]));
    const download = await fetch(await getLink(mock, grant.fileID));
    expect(download.headers.get('content-type')).toBe('application/octet-stream');
    expect(Buffer.from(await download.arrayBuffer()).equals(bytes)).toBe(true);
  });
});

describe('a bad form stores nothing', () => {
  test.each([
    ['Signature', undefined, 403, 'AccessDenied'],
    ['x-store-security-token', undefined, 403, 'AccessDenied'],
    ['x-store-meta-fileid', undefined, 403, 'AccessDenied'],
    ['key', undefined, 400, 'MalformedPOSTRequest'],
    ['Signature', 'wrong', 403, 'SignatureDoesNotMatch'],
    ['x-store-security-token', 'wrong', 403, 'SignatureDoesNotMatch'],
    ['x-store-meta-fileid', 'wrong', 403, 'SignatureDoesNotMatch'],
    ['key', 'other.txt', 403, 'SignatureDoesNotMatch'],
  ])('%s: %s', async (name, value, status, code) => {
    const grant = await getGrant(mock, 'bad.txt');
    const { [name]: _, ...fields } = toForm(grant, 'bad.txt');
    if (value !== undefined) fields[name] = value;
    const response = await postForm(grant.url, fields, FILE);
    expect(response.status).toBe(status);
    expect(response.headers.get('content-type')).toBe('application/xml');
    const error = await parseError(response);
    expect(error).toMatchObject({ Code: code, RequestId: response.headers.get('x-request-id') });
    expect(error.Message).toContain(name);
    expect(error.Message).not.toContain(grant.authorization);
    expect(await read(mock, grant.fileID)).toBeUndefined();
  });

  test.each(['Signature', 'signature', 'x-store-security-token', 'x-store-meta-fileid', 'key'])(
    '%s twice',
    async (name) => {
      const grant = await getGrant(mock, 'bad.txt');
      const form = new FormData();
      for (const [field, value] of Object.entries(toForm(grant, 'bad.txt')))
        form.append(field, value);
      form.append(name, 'other');
      form.append('file', FILE);
      const response = await fetch(grant.url, { method: 'POST', body: form });
      expect(await parseError(response)).toMatchObject({
        Code: 'MalformedPOSTRequest',
        Message: `The form contains the ${name} field twice.`,
      });
      expect(await read(mock, grant.fileID)).toBeUndefined();
    },
  );

  test('a grant of another mock', async () => {
    await using other = await createMock();
    const grant = await getGrant(other, 'bad.txt');
    const response = await postForm(mock.uploadUrl, toForm(grant, 'bad.txt'), FILE);
    expect(await parseError(response)).toMatchObject({ Code: 'SignatureDoesNotMatch' });
  });

  test('values in the places of each other', async () => {
    const grant = await getGrant(mock, 'bad.txt');
    const swapped = { ...grant, token: grant.authorization, authorization: grant.token };
    const response = await postForm(grant.url, toForm(swapped, 'bad.txt'), FILE);
    expect(await parseError(response)).toMatchObject({ Code: 'SignatureDoesNotMatch' });
    expect(await read(mock, grant.fileID)).toBeUndefined();
  });

  test('the file before the other fields', async () => {
    const grant = await getGrant(mock, 'bad.txt');
    const form = new FormData();
    form.append('file', FILE);
    for (const [name, value] of Object.entries(toForm(grant, 'bad.txt'))) form.append(name, value);
    const response = await fetch(grant.url, { method: 'POST', body: form });
    expect((await parseError(response)).Message).toContain('send it before the file');
    expect(await read(mock, grant.fileID)).toBeUndefined();
  });

  test('thousands of fields', async () => {
    const grant = await getGrant(mock, 'bad.txt');
    const junk = Array.from({ length: 5_000 }, (_, index) => [`field-${index}`, 'x']);
    const fields = { ...toForm(grant, 'bad.txt'), ...Object.fromEntries(junk) };
    const response = await postForm(grant.url, fields, FILE);
    expect(await parseError(response)).toMatchObject({ Code: 'EntityTooLarge' });
    expect(await read(mock, grant.fileID)).toBeUndefined();
  });

  test('no file', async () => {
    const grant = await getGrant(mock, 'bad.txt');
    const response = await postForm(grant.url, toForm(grant, 'bad.txt'));
    expect(response.status).toBe(400);
    expect(await parseError(response)).toMatchObject({
      Code: 'MalformedPOSTRequest',
      Message: 'The form has no file field: send it as the last field.',
    });
  });

  test('a field that is too long', async () => {
    const grant = await getGrant(mock, 'bad.txt');
    const fields = { ...toForm(grant, 'bad.txt'), key: 'x'.repeat(66_000) };
    const response = await postForm(grant.url, fields, FILE);
    expect(await parseError(response)).toMatchObject({ Code: 'MalformedPOSTRequest' });
  });

  test.each([
    ['application/json', '{}'],
    ['multipart/form-data', 'x'],
    ['multipart/form-data; boundary=b', 'no boundary in here'],
    ['multipart/form-data; boundary=b', ''],
    ['', 'x'],
  ])('%s: %s', async (contentType, body) => {
    const headers = { 'content-type': contentType };
    const response = await fetch(mock.uploadUrl, { method: 'POST', headers, body });
    expect(response.status).toBe(400);
    expect(await parseError(response)).toMatchObject({ Code: 'MalformedPOSTRequest' });
  });

  test('a form without its end', async () => {
    const grant = await getGrant(mock, 'cut.txt');
    const whole = await new Response(await toFormBody(grant)).text();
    const boundary = whole.slice(2, whole.indexOf('\r\n'));
    const headers = { 'content-type': `multipart/form-data; boundary=${boundary}` };
    const body = whole.slice(0, -10);
    const response = await fetch(grant.url, { method: 'POST', headers, body });
    expect(await parseError(response)).toMatchObject({ Code: 'MalformedPOSTRequest' });
    expect(await read(mock, grant.fileID)).toBeUndefined();
  });

  test('a connection that breaks off leaves the old file', async () => {
    const fileID = await upload(mock, 'broken.txt', 'old');
    const grant = await getGrant(mock, 'broken.txt');
    const whole = await new Response(await toFormBody(grant)).text();
    const boundary = whole.slice(2, whole.indexOf('\r\n'));
    const outgoing = request(grant.url, {
      method: 'POST',
      headers: {
        'content-type': `multipart/form-data; boundary=${boundary}`,
        'content-length': whole.length,
      },
    });
    outgoing.write(whole.slice(0, -10), () => outgoing.destroy());
    await expect(once(outgoing, 'response')).rejects.toThrow('socket hang up');
    expect(await read(mock, fileID)).toBe('old');
  });

  test('a file beyond maxStoreBytes', async () => {
    await using small = await createMock({ maxStoreBytes: 10_000 });
    const grant = await getGrant(small, 'big');
    const big = new Blob(['x'.repeat(200_000)]);
    const response = await postForm(grant.url, toForm(grant, 'big'), big);
    expect(response.status).toBe(400);
    const error = await parseError(response);
    expect(error.Code).toBe('EntityTooLarge');
    expect(error.Message).toContain('maxStoreBytes');
  });

  test('a refused upload frees its space', async () => {
    await using small = await createMock({ maxStoreBytes: 10_000 });
    const grant = await getGrant(small, 'big');
    const response = await fetch(grant.url, {
      method: 'POST',
      headers: { 'content-type': 'multipart/form-data; boundary=b' },
      body: toBeginning(grant, 'big', 'x'.repeat(6_000)),
    });
    expect((await parseError(response)).Code).toBe('MalformedPOSTRequest');
    await upload(small, 'big', 'x'.repeat(9_000));
    expect(await read(small, grant.fileID)).toHaveLength(9_000);
  });

  test('an aborted upload frees its space', async () => {
    await using small = await createMock({ maxStoreBytes: 10_000 });
    const grant = await getGrant(small, 'big');
    const form = toBeginning(grant, 'big', 'x'.repeat(6_000));
    const head =
      'POST / HTTP/1.1\r\nhost: localhost\r\ncontent-type: multipart/form-data; boundary=b\r\n';
    const chunk = `${form.length.toString(16)}\r\n${form}\r\n`;
    const broken = await sendRaw(
      small,
      `${head}transfer-encoding: chunked\r\n\r\n${chunk}no chunk`,
    );
    expect(broken).toContain('<Code>MalformedPOSTRequest</Code>');
    const ended = await sendRaw(small, `${head}content-length: 9000\r\n\r\n${form}`, 'end');
    expect(ended).toContain('<Code>MalformedPOSTRequest</Code>');
    await upload(small, 'big', 'x'.repeat(9_000));
    expect(await read(small, grant.fileID)).toHaveLength(9_000);
  });

  test.each(['GET', 'PUT', 'DELETE'])('%s is not an upload', async (method) => {
    const response = await fetch(mock.uploadUrl, { method });
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe('POST');
    expect((await parseError(response)).Message).toContain('POST');
  });
});

describe('a link', () => {
  test('responds to HEAD and ranges', async () => {
    const link = await getLink(mock, await upload(mock, 'range.txt', '0123456789'));
    const head = await fetch(link, { method: 'HEAD' });
    expect(head.headers.get('content-length')).toBe('10');
    const part = await fetch(link, { headers: { range: 'bytes=2-4' } });
    expect([part.status, await part.text()]).toEqual([206, '234']);
    expect(part.headers.get('content-range')).toBe('bytes 2-4/10');
    const last = await fetch(link, { headers: { range: 'bytes=-3' } });
    expect(await last.text()).toBe('789');
    const beyond = await fetch(link, { headers: { range: 'bytes=10-' } });
    expect(beyond.status).toBe(416);
    expect(beyond.headers.get('content-range')).toBe('bytes */10');
    for (const range of ['bytes=0-1,3-4', 'lines=0-1', 'nonsense']) {
      const whole = await fetch(link, { headers: { range } });
      expect([whole.status, await whole.text()]).toEqual([200, '0123456789']);
    }
  });

  test('works for its own file only', async () => {
    const link = await getLink(mock, await upload(mock, 'own.txt', 'x'));
    await upload(mock, 'own2.txt', 'y');
    for (const wrong of [
      link.replace('own.txt', 'own2.txt'),
      link.replace(/expires=\d/, 'expires=9'),
      link.replace(/sign=.*/, 'sign='),
      link.replace(/\?.*/, ''),
      `${mock.url}/files/%zz`,
    ]) {
      const response = await fetch(wrong);
      expect(response.status).toBe(403);
      expect((await parseError(response)).Code).toBe('SignatureDoesNotMatch');
    }
  });

  test.each(['text/html', 'image/svg+xml', 'text/plain'])(
    'to %s runs no script of the file on the origin of the mock',
    async (type) => {
      const fileID = await upload(mock, 'page', '<script>fetch("/files/other")</script>', type);
      const { headers } = await fetch(await getLink(mock, fileID));
      expect(headers.get('content-type')).toBe(type);
      expect(headers.get('content-security-policy')).toBe('sandbox');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
    },
  );

  test('does not accept POST', async () => {
    const link = await getLink(mock, await upload(mock, 'own.txt', 'x'));
    expect((await fetch(link, { method: 'POST', body: 'x' })).status).toBe(405);
  });
});

/** A form up to some content of its file, without its end. */
function toBeginning(grant: Grant, key: string, content: string): string {
  const head = '--b\r\ncontent-disposition: form-data; name="';
  const fields = Object.entries(toForm(grant, key)).map(
    ([name, value]) => `${head}${name}"\r\n\r\n${value}\r\n`,
  );
  return `${fields.join('')}${head}file"\r\n\r\n${content}`;
}

function toFormBody(grant: Grant): FormData {
  const key = new URL(grant.fileID).pathname.slice(1);
  const form = new FormData();
  for (const [name, value] of Object.entries(toForm(grant, key))) form.append(name, value);
  form.append('file', FILE);
  return form;
}
