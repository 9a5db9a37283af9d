import { describe, expect, it } from 'vitest';
import { failureOf, list } from '../test/support/fake-fetch.ts';
import { credentials, storageWith } from '../test/support/storage.ts';

const DELETE = '/api/v2/envs/{envId}/storages:batchDelete';
const body = { fileList: ['a'] };

describe('createStorageClient', () => {
  it('calls another environment if one is named', async () => {
    const { storage, requests } = storageWith([list()]);
    await storage.POST(DELETE, { body, params: { path: { envId: 'o/1' } } });
    expect(requests[0]?.url).toContain('/envs/o%2F1/storages:');
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
