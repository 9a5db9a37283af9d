import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createMock, type Mock } from '../../src/index.ts';
import { gateway, gatewayPost, storage } from '../helpers/calls.ts';
import { type Grant, getGrant, getLink, postForm, toForm } from '../helpers/upload.ts';
import { startDeployment } from './start-deployment.ts';

const TOKEN = 'recorded-bearer-token-0001';
const SIGNATURE = 'recorded-storage-signature-0002';
const SESSION_TOKEN = 'recorded-session-token-0003';
const COOKIE = 'recorded-cookie-0004';

const dir = await mkdtemp(join(tmpdir(), 'berth-recording-'));
const folder = (name: string) => join(dir, name);
afterAll(() => rm(dir, { recursive: true }));

const credentials = {
  authorization: `Bearer ${TOKEN}`,
  cookie: `a=${COOKIE}`,
};
const storageCredentials = {
  'x-svc-authorization': `1.0 TC3-HMAC-SHA256 Credential=id/2030-01-01/svc/tc3_request, Signature=${SIGNATURE}`,
  'x-svc-sessiontoken': SESSION_TOKEN,
};

/** Returns what a caller sees of everything that it does. */
async function play(mock: Mock) {
  const bodies: Buffer[] = [];
  const note = (reply: { bytes: Buffer }) => bodies.push(reply.bytes);
  note(await gateway(mock, { path: '/v1/cloudrun/hello/a%2Fb?x=1', headers: credentials }));
  note(await gatewayPost(mock, '/v1/cloudrun/hello', { b: 1, a: '中' }));
  note(await storage(mock, 'batchDelete', { fileList: ['cloud://dev.files/none'] }));
  const grant = await getGrant(mock, 'a/中.txt');
  const form = await postForm(grant.url, toForm(grant, 'a/中.txt'), new Blob(['content']));
  const link = await getLink(mock, grant.fileID);
  const download = await fetch(link);
  return {
    bodies,
    grant,
    link,
    statuses: [form.status, download.status],
    headers: download.headers.get('content-type'),
    content: await download.text(),
  };
}

describe('recorded and replayed', () => {
  let recorded: Awaited<ReturnType<typeof play>>;
  beforeAll(async () => {
    await using real = await createMock();
    await using between = await createMock({ proxy: real.url, record: folder('all') });
    recorded = await play(between);
    await storage(between, 'batchCopyFile', { fileList: [] }, storageCredentials);
  });

  test('every call is a separate, readable file', async () => {
    const names = await readdir(folder('all'));
    expect(names.sort()).toEqual([
      '0001-get-hello-a-2Fb.json',
      '0002-post-hello.json',
      '0003-post-batchDelete.json',
      '0004-post-getUploadMetaData.json',
      '0005-post-uploadFile.json',
      '0006-post-batchGetTempUrls.json',
      '0007-get-files-files-a-E4-B8-AD-txt.json',
      '0008-post-batchCopyFile.json',
    ]);
    const text = await readFile(join(folder('all'), '0002-post-hello.json'), 'utf8');
    expect(JSON.parse(text)).toMatchObject({
      operationId: 'cloudrun-post-root',
      request: { method: 'POST', target: '/v1/cloudrun/hello', body: { text: '{"b":1,"a":"中"}' } },
      response: { status: 200 },
      violations: [],
      responseViolations: [],
    });
  });

  test('a replay returns the same bytes, for both steps of an upload too', async () => {
    await using replay = await createMock({ replay: folder('all') });
    const replayed = await play(replay);
    const own = (text: string) => text.replaceAll(/http:\/\/127\.0\.0\.1:\d+/g, '');
    expect(replayed.bodies).toEqual(recorded.bodies);
    expect(replayed.statuses).toEqual(recorded.statuses);
    expect(replayed.content).toBe('content');
    expect(replayed.headers).toBe(recorded.headers);
    expect(replayed.grant.url.startsWith(`${replay.url}/?sign=`)).toBe(true);
    const secrets: (keyof Grant)[] = ['url', 'token', 'authorization'];
    for (const name of ['fileID', 'storeFileID'] as const) {
      expect(replayed.grant[name]).toBe(recorded.grant[name]);
    }
    expect(secrets.every((name) => own(replayed.grant[name]).includes('…'))).toBe(true);
    expect(replay.session().requests({ unmatched: true })).toEqual([]);
  });

  test('the members of a JSON body may be in another order', async () => {
    await using replay = await createMock({ replay: folder('all') });
    const reply = await gatewayPost(replay, '/v1/cloudrun/hello', { a: '中', b: 1 });
    expect(reply.bytes).toEqual(recorded.bodies[1]);
  });

  test('reports an unrecorded call with the closest recording', async () => {
    await using replay = await createMock({ replay: folder('all') });
    const { status, json } = await gateway(replay, { path: '/v1/cloudrun/hello/a%2Fb?x=2' });
    expect([status, json.code]).toEqual([501, 'SYS_ERR']);
    expect(json.message).toBe(
      'GET /v1/cloudrun/hello/a%2Fb?x=2 is not recorded. The closest recording is: GET /v1/cloudrun/hello/a%2Fb?x=1.',
    );
    const other = await gatewayPost(replay, '/v1/cloudrun/hello', {});
    expect(other.json.message).toMatch(/POST \/v1\/cloudrun\/hello, with another body\.$/);
    expect((await storage(replay, 'batchDelete', { fileList: ['b'] })).status).toBe(501);
    expect((await fetch(`${replay.url}/files/other.txt`)).status).toBe(501);
    expect(replay.session().requests({ unmatched: true })).toHaveLength(4);
  });

  test('no file contains a secret', async () => {
    const { token, authorization } = recorded.grant;
    const sign = (text: string) => new URL(text).searchParams.get('sign') as string;
    const secrets = [TOKEN, SIGNATURE, SESSION_TOKEN, COOKIE, token, authorization];
    secrets.push(sign(recorded.grant.url), sign(recorded.link));
    expect(secrets.every((secret) => secret.length > 8)).toBe(true);
    for (const name of await readdir(folder('all'))) {
      const text = await readFile(join(folder('all'), name), 'utf8');
      for (const secret of secrets) expect(text, name).not.toContain(secret);
    }
  });
});

test('a service that echoes what it received leaks nothing into the files', async () => {
  await using real = await startDeployment((request, response) => {
    const { authorization, cookie } = request.headers;
    response.writeHead(200, {
      'content-type': 'application/json',
      'x-request-id': 'one',
      'x-echo': String(authorization),
      'set-cookie': 'sid=another-cookie-0005; Path=/',
      location: 'https://store.example.com/a?q-signature=abc0006&x=1',
    });
    response.end(JSON.stringify({ authorization, cookie, set: 'another-cookie-0005' }));
  });
  {
    await using between = await createMock({ proxy: real.url, record: folder('echo') });
    const path = `/v1/cloudrun/hello/${TOKEN}?access_token=abc0007`;
    await gateway(between, { path, headers: credentials });
  }
  const text = await readFile(join(folder('echo'), `0001-get-hello.json`), 'utf8');
  for (const secret of [TOKEN, COOKIE, 'another-cookie-0005', 'abc0006', 'abc0007']) {
    expect(text).not.toContain(secret);
  }
  await using replay = await createMock({ replay: folder('echo') });
  const path = `/v1/cloudrun/hello/${TOKEN}?access_token=abc0007`;
  expect((await gateway(replay, { path, headers: credentials })).status).toBe(200);
});

test('serves several responses to the same request in order, for each session', async () => {
  let count = 0;
  await using real = await startDeployment((_, response) => {
    count += 1;
    response.writeHead(200, { 'content-type': 'text/plain', 'x-request-id': `id-${count}` });
    response.end(String(count));
  });
  const ask = async ({ url }: Mock, session = '') =>
    (await fetch(`${url}/v1/cloudrun/hello`, { headers: { 'x-mock-session': session } })).text();
  {
    await using between = await createMock({ proxy: real.url, record: folder('steps') });
    expect([await ask(between), await ask(between)]).toEqual(['1', '2']);
  }
  {
    await using between = await createMock({ proxy: real.url, record: folder('steps') });
    expect(await ask(between)).toBe('3');
  }
  await using replay = await createMock({ replay: folder('steps') });
  const responses = [];
  for (const session of ['', '', 'b', '', '']) responses.push(await ask(replay, session));
  expect(responses).toEqual(['1', '2', '1', '3', '3']);
  expect(replay.session().requests()).toHaveLength(4);
  replay.session('b').reset();
  expect([await ask(replay, 'b'), await ask(replay)]).toEqual(['1', '3']);
  replay.session().reset({ only: ['requests'] });
  expect(await ask(replay)).toBe('1');
});

test('returns bytes that are not text, and an event stream, unchanged', async () => {
  const bytes = Buffer.from([0, 255, 254, 13, 10]);
  await using real = await startDeployment((request, response) => {
    const isStream = request.url?.endsWith('/events');
    response.writeHead(200, {
      'content-type': isStream ? 'text/event-stream' : 'image/png',
      'x-request-id': 'one',
    });
    response.end(isStream ? 'id: 1\ndata: a\n\n' : bytes);
  });
  {
    await using between = await createMock({ proxy: real.url, record: folder('bytes') });
    await gateway(between, { path: '/v1/cloudrun/hello/image' });
    await gateway(between, { path: '/v1/cloudrun/hello/events' });
  }
  await using replay = await createMock({ replay: folder('bytes') });
  expect((await gateway(replay, { path: '/v1/cloudrun/hello/image' })).bytes).toEqual(bytes);
  const events = await gateway(replay, { path: '/v1/cloudrun/hello/events' });
  expect([events.text, events.headers['content-type']]).toEqual([
    'id: 1\ndata: a\n\n',
    'text/event-stream',
  ]);
});

test('detects recordings of another contract', async () => {
  {
    await using real = await createMock();
    await using between = await createMock({ proxy: real.url, record: folder('old') });
    await gateway(between, { path: '/v1/cloudrun/hello' });
  }
  const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
  await createMock({ replay: folder('old') }).then(({ close }) => close());
  expect(warn).not.toHaveBeenCalled();
  const file = join(folder('old'), '0001-get-hello.json');
  const recording = JSON.parse(await readFile(file, 'utf8'));
  expect(recording.contract).toMatch(/^[\da-f]{64}$/);
  await writeFile(file, JSON.stringify({ ...recording, contract: 'another' }));
  await createMock({ replay: folder('old') }).then(({ close }) => close());
  expect(warn).toHaveBeenCalledWith(
    expect.stringMatching(/^1 recordings in .* were made with another version of the contract/),
    'MockWarning',
  );
  warn.mockRestore();
});

test('rejects a folder with something else by name', async () => {
  await expect(createMock({ replay: folder('none') })).rejects.toThrow(/none cannot be read/);
  await writeFile(folder('broken.json'), '{}');
  await expect(createMock({ replay: dir })).rejects.toThrow(/broken\.json is not a recording/);
});
