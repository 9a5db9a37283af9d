import { describe, expect, test } from 'vitest';
import { createMock } from '../src/index.ts';
import { gateway, storage } from './helpers/calls.ts';

const ask = (mock: { url: string }) =>
  storage(mock, 'batchDelete', { fileList: ['cloud://dev.files/none'] });
const names = (text: string) =>
  JSON.stringify(JSON.parse(text), (key, value) => (key === 'requestId' ? '' : value));

describe('static', () => {
  test('storage returns the example, and does nothing', async () => {
    await using mock = await createMock({ mode: 'static' });
    const { json } = await ask(mock);
    expect(json.body.data.fileList).toMatchObject([{ code: 'SUCCESS' }]);
    for (const operation of ['getUploadMetaData', 'batchGetTempUrls', 'batchCopyFile']) {
      const body = operation === 'getUploadMetaData' ? { path: 'a' } : { fileList: [] };
      expect((await storage(mock, operation, body)).status).toBe(200);
    }
    expect(
      mock
        .session()
        .requests()
        .flatMap(({ responseViolations }) => responseViolations),
    ).toEqual([]);
  });
});

describe('dynamic', () => {
  test('generates responses from the schema, the same ones for the same seed', async () => {
    await using first = await createMock({ mode: 'dynamic', seed: 'a' });
    await using again = await createMock({ mode: 'dynamic', seed: 'a' });
    await using other = await createMock({ mode: 'dynamic', seed: 'b' });
    const [one, two, three] = [await ask(first), await ask(again), await ask(other)];
    expect(one.status).toBe(200);
    expect(names(one.text)).toBe(names(two.text));
    expect(names(one.text)).not.toBe(names(three.text));
    expect(one.json.body.requestId).toBe(one.headers['x-request-id']);
    expect((await gateway(first, { path: '/v1/cloudrun/hello' })).status).toBe(200);
  });
});
