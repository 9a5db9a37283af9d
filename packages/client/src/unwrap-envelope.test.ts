import { expect, it } from 'vitest';
import { envelope, list } from '../test/support/fake-fetch.ts';
import { storageWith } from '../test/support/storage.ts';
import { unwrapEnvelope } from './unwrap-envelope.ts';

const path = '/api/v2/envs/{envId}/storages:batchDelete';
const init = { body: { fileList: ['a'] } };

it('gives the data of a raw call', async () => {
  const item = { fileID: 'a', code: 'SUCCESS' };
  const { storage } = storageWith([list(item)]);
  expect(unwrapEnvelope(await storage.POST(path, init))).toEqual({ fileList: [item] });
});

it('throws the error of a raw call with its method and path', async () => {
  const { storage } = storageWith([
    envelope({ code: 'SYS_ERR', message: 'The call failed.' }, 500),
  ]);
  const result = await storage.POST(path, init);
  expect(() => unwrapEnvelope(result)).toThrow(
    'The storage call failed: SYS_ERR, The call failed. ' +
      '(POST /api/v2/envs/dev/storages:batchDelete, status 500, request id r-1)',
  );
});
