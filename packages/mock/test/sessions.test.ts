import { afterAll, describe, expect, test } from 'vitest';
import { createMock } from '../src/index.ts';
import { call, control, storage } from './helpers/calls.ts';
import { getLink, postForm, read, toForm, upload } from './helpers/upload.ts';

const mock = await createMock();
afterAll(() => mock.close());
const inSession = (id: string) => ({ 'x-mock-session': id });

async function uploadIn(session: string, path: string, content: string) {
  const { json } = await storage(mock, 'getUploadMetaData', { path }, inSession(session));
  const grant = json.body.data;
  // The form carries no header of the mock: the address says which session it is for.
  const response = await postForm(grant.url, toForm(grant, path), content);
  expect(response.status).toBe(204);
  return grant;
}

async function linkIn(session: string, fileID: string, target = mock): Promise<string> {
  const body = { fileList: [{ fileID }] };
  const { json } = await storage(target, 'batchGetTempUrls', body, inSession(session));
  return json.body.data.fileList[0].tempFileURL;
}

describe('a session', () => {
  test('has its own files, whose links need no header', async () => {
    const { fileID } = await uploadIn('a&b', 'own.txt', 'mine');
    expect(await (await fetch(await linkIn('a&b', fileID))).text()).toBe('mine');
    expect(await linkIn('other', fileID)).toBe('');
    expect(await read(mock, fileID)).toBeUndefined();
  });

  test('rejects the links and grants of other sessions', async () => {
    const grant = await uploadIn('one', 'same.txt', 'of one');
    await uploadIn('two', 'same.txt', 'of two');
    const link = await linkIn('one', grant.fileID);
    expect((await fetch(link.replace('session=one', 'session=two'))).status).toBe(403);
    const stolen = grant.url.replace('session=one', 'session=two');
    const response = await postForm(stolen, toForm(grant, 'same.txt'), 'stolen');
    expect(response.status).toBe(403);
    expect(await (await fetch(await linkIn('two', grant.fileID))).text()).toBe('of two');
  });

  test('is dropped if it is the least recently used, and starts from scratch', async () => {
    await using own = await createMock();
    const put = (id: string) => own.session(id).faults.put('slow', 'latency=1');
    const has = (id: string) => own.session(id).faults.list().length > 0;
    for (const id of ['', 'a', 'b']) put(id);
    expect(has('a')).toBe(true);
    for (let count = 0; count < 99; count += 1) put(`more ${count}`);
    expect([has('a'), has('more 98'), has('b'), has('')]).toEqual([true, true, false, true]);
  });
});

test.each([
  [new Uint16Array(1), 'text/plain', 'content must be a string or a Uint8Array.'],
  ['x', 'text/plain\r\nx-a: b', 'contentType must be a media type, such as text/plain.'],
])('rejects a file that cannot be uploaded: %j %j', (content, type, message) => {
  const { files } = mock.session();
  expect(() => files.put('a.txt', content as string, type)).toThrow(message);
});

test('neither links, foreign pages nor reading create sessions, which would drop those of tests', async () => {
  await using full = await createMock();
  const url = await linkIn('test', full.session('test').files.put('a.txt', 'x'), full);
  // One more session would drop the first.
  const others = Array.from({ length: 99 }, (_, index) => `other ${index}`);
  for (const name of others) full.session(name).reset();
  await fetch(`${full.url}/files/x?session=evil`);
  await fetch(`${full.url}/?session=evil`, { method: 'POST' });
  const foreign = { host: 'dev.evil.example', origin: 'http://dev.evil.example' };
  for (const path of ['/v1/cloudrun/echo', '/__mock/files']) {
    await call(full, { path, headers: { ...foreign, ...inSession('evil') } });
  }
  const frame = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' };
  await call(full, { path: '/__mock/files?session=evil', headers: frame });
  for (const path of ['requests', 'files', 'faults', 'clock']) {
    expect((await control(full, 'GET', `${path}?session=typo`)).status).toBe(200);
  }
  expect((await control(full, 'GET', 'files/a.txt?session=typo')).status).toBe(404);
  const { json } = await control(full, 'GET', 'sessions');
  expect(json.sessions.toSorted()).toEqual(['', ...others, 'test'].toSorted());
  expect((await fetch(url)).status).toBe(200);
});

test('links and grants expire according to the clock of their own session', async () => {
  await using own = await createMock();
  const link = await getLink(own, await upload(own, 'a.txt', 'x'));
  const { json } = await storage(own, 'getUploadMetaData', { path: 'late.txt' });
  own.session('other').clock.advance(3_600_000);
  expect((await fetch(link)).status).toBe(200);
  own.session().clock.advance(8 * 24 * 3_600_000);
  const late = await fetch(link);
  expect(late.status).toBe(403);
  expect(await late.text()).toContain('<Code>AccessDenied</Code>');
  const form = toForm(json.body.data, 'late.txt');
  const rejected = await postForm(json.body.data.url, form, 'x');
  expect(await rejected.text()).toContain('The grant is no longer valid');
  own.session().reset();
  own.session().files.put('a.txt', 'x');
  expect((await fetch(link)).status).toBe(200);
});
