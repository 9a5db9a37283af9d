import { bearer, createGatewayClient, createStorageClient, toGatewayError } from '@berth/client';
import { describe, expect, it } from 'vitest';
import { envelope, failureOf, fakeFetch, json, list } from './support/fake-fetch.ts';
import { shown } from './support/shown.ts';
import { credentials, meta, storageWith } from './support/storage.ts';

const TOKEN = 'token-5ec4e7';
const LINK = 'https://files.example/a?sign=5ec4e7-in-link';

/** The worst case is a server that echoes what it receives. */
const echo = (...secrets: string[]) => `You sent ${secrets.join(' and ')}.`;
const xml = (text: string) => `<Error><Code>AccessDenied</Code><Message>${text}</Message></Error>`;
const captureError = (run: () => unknown): unknown => {
  try {
    return run();
  } catch (error) {
    return error;
  }
};
const granted = () => envelope({ data: meta });

type Case = [
  string,
  Response[],
  (storage: ReturnType<typeof storageWith>['storage']) => Promise<unknown>,
];

describe('no credential shows in', () => {
  it.each<Case>([
    [
      'the error of a storage call',
      [
        envelope({
          code: 'SIGN_PARAM_INVALID',
          message: echo(credentials.authorization, credentials.sessionToken),
        }),
      ],
      (storage) => storage.delete('a'),
    ],
    [
      'the error of an upload',
      [granted(), new Response(xml(echo(meta.authorization, meta.token)), { status: 403 })],
      (storage) => storage.upload('a.txt', 'hello'),
    ],
    [
      'the error of half an upload grant',
      [envelope({ data: { ...meta, storeFileID: undefined } })],
      (storage) => storage.upload('a.txt', 'hello'),
    ],
    [
      'the error of an upload grant in broken JSON',
      [new Response(`{"data":{"token":"${meta.token}" oops`)],
      (storage) => storage.upload('a.txt', 'hello'),
    ],
    [
      'the error of an upload address that is none',
      [envelope({ data: { ...meta, url: '5ec4e7' } })],
      (storage) => storage.upload('a.txt', 'hello'),
    ],
    ...['https://user:5ec4e7@upload.example/', 'ftp://upload.example/?sign=5ec4e7'].map(
      (url): Case => [
        `the error of an upload address that is not for fetch: ${url.slice(0, 5)}`,
        [envelope({ data: { ...meta, url } })],
        (storage) => storage.upload('a.txt', 'hello'),
      ],
    ),
    ...['https://user:5ec4e7@files.example/', 'file:///5ec4e7', 'data:text/plain,5ec4e7'].map(
      (tempFileURL): Case => [
        `the error of a link that is not for fetch: ${tempFileURL.slice(0, 5)}`,
        [list({ fileID: 'a', code: 'SUCCESS', tempFileURL })],
        (storage) => storage.download('a'),
      ],
    ),
    [
      'the error of a storage call that repeats the signature alone',
      [envelope({ code: 'SIGN_PARAM_INVALID', message: 'The signature 5ec4e7 is wrong.' })],
      (storage) => storage.delete('a'),
    ],
    [
      'the code and the request id of a storage call',
      [envelope({ code: credentials.sessionToken, requestId: credentials.sessionToken })],
      (storage) => storage.delete('a'),
    ],
    [
      'the code of an upload, and a signature alone',
      [
        granted(),
        new Response(`<Error><Code>${meta.token}</Code><Message>5ec4e7</Message></Error>`),
      ],
      (storage) => storage.upload('a.txt', 'hello'),
    ],
    [
      'the error of a download',
      [
        list({ fileID: 'a', code: 'SUCCESS', tempFileURL: LINK }),
        new Response('', { status: 403 }),
      ],
      (storage) => storage.download('a'),
    ],
    [
      'the error of a link that is not a URL',
      [list({ fileID: 'a', code: 'SUCCESS', tempFileURL: '//5ec4e7' })],
      (storage) => storage.download('a'),
    ],
  ])('%s', async (_, responses, act) => {
    const text = shown(await failureOf(act(storageWith(responses).storage)));
    expect(text).toContain('Error');
    expect(text).not.toContain('5ec4e7');
  });

  it('the error of a gateway call', async () => {
    const body = { code: 'ACCESS_TOKEN_INVALID', message: echo(TOKEN), requestId: 'r' };
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

  it('the error for a URL that contains credentials', () => {
    for (const create of [
      (baseUrl: string) => createGatewayClient({ baseUrl }),
      (baseUrl: string) => createStorageClient({ baseUrl, envId: 'dev', credentials }),
    ]) {
      const error = captureError(() => create('https://user:5ec4e7@s.example'));
      expect(shown(error)).toContain('baseUrl');
      expect(shown(error)).not.toContain('5ec4e7');
    }
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
