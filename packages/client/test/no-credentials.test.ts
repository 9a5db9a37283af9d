import { bearer, createGatewayClient, createStorageClient, toGatewayError } from '@berth/client';
import { describe, expect, it } from 'vitest';
import { envelope, failureOf, fakeFetch, json, list } from './support/fake-fetch.ts';
import { shown } from './support/shown.ts';
import { credentials, meta, storageWith } from './support/storage.ts';

const TOKEN = 'token-5ec4e7';
const LINK = 'https://files.example/a?sign=5ec4e7-in-link';

type Act = (storage: ReturnType<typeof storageWith>['storage']) => Promise<unknown>;
const upload: Act = (storage) => storage.upload('a.txt', 'hello');
const download: Act = (storage) => storage.download('a');
const linked = (tempFileURL: string) => list({ fileID: 'a', code: 'SUCCESS', tempFileURL });
const grantedAt = (url: string) => envelope({ data: { ...meta, url } });

describe('no credential shows in', () => {
  it.each<[string, Act, ...Response[]]>([
    [
      'the error of half an upload grant',
      upload,
      envelope({ data: { ...meta, storeFileID: undefined } }),
    ],
    [
      'the error of an upload grant in broken JSON',
      upload,
      new Response(`{"data":{"token":"${meta.token}" oops`),
    ],
    ['the error of an upload address that is none', upload, grantedAt('5ec4e7')],
    ['that of one with a password', upload, grantedAt('https://user:5ec4e7@upload.example/')],
    ['that of one for FTP', upload, grantedAt('ftp://upload.example/?sign=5ec4e7')],
    ['the error of a download', download, linked(LINK), new Response('', { status: 403 })],
    ['the error of a link that is not a URL', download, linked('//5ec4e7')],
    ['that of one with a password', download, linked('https://user:5ec4e7@files.example/')],
    ['that of one to a local file', download, linked('file:///5ec4e7')],
    ['that of one with data', download, linked('data:text/plain,5ec4e7')],
  ])('%s', async (_, act, ...responses) => {
    const text = shown(await failureOf(act(storageWith(responses).storage)));
    expect(text).toContain('Error');
    expect(text).not.toContain('5ec4e7');
  });

  it('the error of a gateway call', async () => {
    const body = { code: 'ACCESS_TOKEN_INVALID', message: 'No.', requestId: 'r' };
    const { fetch } = fakeFetch(json(body, { status: 401, headers: { 'X-Request-Id': 'r' } }));
    const gateway = createGatewayClient({
      baseUrl: 'https://g.example',
      auth: bearer(TOKEN),
      fetch,
    });
    const params = { path: { name: 'hello', anyPath: 'a?token=5ec4e7' } };
    const error = toGatewayError(await gateway.GET('/v1/cloudrun/{name}/{anyPath}', { params }));
    expect(shown(error)).toContain('ACCESS_TOKEN_INVALID');
    expect(shown(error)).not.toContain('5ec4e7');
  });

  it('the error for a token that is not valid in a header', async () => {
    const gateway = createGatewayClient({
      baseUrl: 'https://g.example',
      auth: bearer(`5ec4e7\n${TOKEN}`),
    });
    const params = { path: { name: 'hello' } };
    const error = await failureOf(gateway.GET('/v1/cloudrun/{name}', { params }));
    expect(shown(error)).toContain('Authorization');
    expect(shown(error)).not.toContain('5ec4e7');
  });

  it('the error for a storage credential that is not valid in a header', async () => {
    const { storage } = storageWith([], {
      credentials: { ...credentials, sessionToken: `5ec4e7\n5ec4e7` },
    });
    const error = await failureOf(storage.delete('a'));
    expect(shown(error)).toContain('X-Svc-SessionToken');
    expect(shown(error)).not.toContain('5ec4e7');
  });

  it('the clients themselves', () => {
    const gateway = createGatewayClient({ baseUrl: 'https://g.example', auth: bearer(TOKEN) });
    const storage = createStorageClient({
      baseUrl: 'https://s.example',
      envId: 'dev',
      credentials,
    });
    expect(shown(gateway) + shown(storage)).not.toContain('5ec4e7');
  });
});
