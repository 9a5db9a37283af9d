import { afterAll, describe, expect, test } from 'vitest';
import { createMock } from '../src/index.ts';
import { storage } from './helpers/calls.ts';
import { upload } from './helpers/upload.ts';

const mock = await createMock();
afterAll(() => mock.close());

const OPERATIONS = ['getUploadMetaData', 'batchGetTempUrls', 'batchDelete', 'batchCopyFile'];

describe('every operation', () => {
  test.each(OPERATIONS)('%s returns the example that Prefer names', async (operation) => {
    const body = operation === 'getUploadMetaData' ? { path: 'a' } : { fileList: [] };
    const success = await storage(mock, operation, body, { prefer: 'example=success' });
    expect(success).toMatchObject({ status: 200, json: { statusCode: 200 } });
    expect(success.json.body.requestId).toBe(success.headers['x-request-id']);
    const refused = await storage(mock, operation, body, { prefer: 'code=429' });
    expect(refused).toMatchObject({ status: 429, json: { statusCode: 429 } });
    expect(refused.json.body.code).toBe('EXCEED_RATELIMIT');
    expect(refused.headers['retry-after']).toBe('1');
    const failed = await storage(mock, operation, body, { prefer: 'code=500, example=SYS_ERR' });
    expect(failed).toMatchObject({ status: 500, json: { body: { code: 'SYS_ERR' } } });
    expect(failed.headers).not.toHaveProperty('retry-after');
    const dynamic = await storage(mock, operation, body, { prefer: 'dynamic=true' });
    expect(dynamic).toMatchObject({ status: 200, json: { statusCode: 200 } });
  });
});

test('a copy that does not fit fails its item alone', async () => {
  await using small = await createMock({ maxSessionBytes: 2_000 });
  await upload(small, 'a', 'x'.repeat(1_000));
  const { json } = await storage(small, 'batchCopyFile', {
    fileList: [
      { srcPath: 'a', dstPath: 'b' },
      { srcPath: 'a', dstPath: 'c', removeOriginal: true },
    ],
  });
  const [bad, moved] = json.body.data.fileList;
  expect(bad.message).toContain('does not fit');
  expect(moved).toEqual({ fileID: 'cloud://dev.files/c' });
});
