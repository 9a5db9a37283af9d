import { describe, expect, it } from 'vitest';
import { failureOf, list } from '../../test/support/fake-fetch.ts';
import { storageWith } from '../../test/support/storage.ts';

const link = () => list({ fileID: 'a', code: 'SUCCESS', tempFileURL: 'https://h/a b?sign=s3cret' });

describe('download', () => {
  it('fetches the encoded link without any credential', async () => {
    const { storage, requests } = storageWith([link(), new Response('bytes')]);
    expect(await (await storage.download('a')).text()).toBe('bytes');
    expect(requests[1]?.url).toBe('https://h/a%20b?sign=s3cret');
    expect([...(requests[1]?.headers ?? [])]).toEqual([]);
  });

  it('throws on an error status and keeps the signature of the link to itself', async () => {
    const answer = new Response('expired', { status: 403, headers: { 'X-Request-Id': 'r-9' } });
    const { storage } = storageWith([link(), answer]);
    const error = await failureOf(storage.download('cloud://a'));
    expect(error).toMatchObject({
      name: 'StorageError',
      status: 403,
      message: 'The link to cloud://a gave no file (GET /a%20b, status 403, request id r-9)',
    });
  });

  it('hands the signal on to both calls', async () => {
    const { storage, requests } = storageWith([link(), new Response('bytes')]);
    const controller = new AbortController();
    await storage.download('a', { signal: controller.signal });
    controller.abort();
    expect(requests.map(({ signal }) => signal.aborted)).toEqual([true, true]);
  });
});
