import { describe, expect, it } from 'vitest';
import { failureOf, list } from '../test/support/fake-fetch.ts';
import { credentials, storageWith } from '../test/support/storage.ts';

const DELETE = '/api/v2/envs/{envId}/storages:batchDelete';
const body = { fileList: ['a'] };

describe('createStorageClient', () => {
  it('fills in the environment and sends the fields at the top level', async () => {
    const { storage, requests } = storageWith([list({ fileID: 'a', code: 'SUCCESS' })]);
    const { data } = await storage.POST(DELETE, { body });
    expect(data?.body.data?.fileList[0]?.code).toBe('SUCCESS');
    expect(requests[0]?.url).toBe('https://storage.example/api/v2/envs/dev/storages:batchDelete');
    expect(await requests[0]?.json()).toEqual(body);
  });

  it('calls another environment if one is named', async () => {
    const { storage, requests } = storageWith([list()]);
    await storage.POST(DELETE, { body, params: { path: { envId: 'o/1' } } });
    expect(requests[0]?.url).toContain('/envs/o%2F1/storages:');
  });

  it('always sends all three headers', async () => {
    const { authorization, timestamp } = credentials;
    const { storage, requests } = storageWith([list()], {
      credentials: { authorization, timestamp },
    });
    await storage.POST(DELETE, { body });
    const headers = Object.fromEntries(requests[0]?.headers ?? []);
    expect(headers).toMatchObject({
      'x-svc-authorization': authorization,
      'x-svc-sessiontoken': '',
      'x-svc-timestamp': '1700000000',
    });
  });

  it('accepts credentials of a file, which end with a line break', async () => {
    const { storage, requests } = storageWith([list()], {
      credentials: { ...credentials, sessionToken: ' of-a-file\n' },
    });
    await storage.POST(DELETE, { body });
    expect(requests[0]?.headers.get('X-Svc-SessionToken')).toBe('of-a-file');
  });

  it.each([
    [{ authorization: undefined, timestamp: 1 }, 'authorization'],
    [{ authorization: '', timestamp: 1 }, 'authorization'],
    [{ authorization: 'a' }, 'timestamp'],
    [undefined, 'authorization'],
  ])('sends nothing with the credentials %j', async (wrong, field) => {
    const { storage, requests } = storageWith([], { credentials: () => wrong as never });
    const error = await failureOf(storage.POST(DELETE, { body }));
    expect(String(error)).toBe(`TypeError: credentials.${field} is missing.`);
    expect(requests).toEqual([]);
  });

  it('does not follow redirects, which would send the credentials elsewhere', async () => {
    const { storage, requests } = storageWith([list()]);
    await storage.POST(DELETE, { body });
    expect(requests[0]?.redirect).toBe('manual');
  });
});
