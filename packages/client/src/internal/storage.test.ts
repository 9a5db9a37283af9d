import { describe, expect, it } from 'vitest';
import { envelope, list } from '../../test/support/fake-fetch.ts';
import { storageWith } from '../../test/support/storage.ts';
import { StorageError } from '../errors.ts';
import { readEnvelope, unwrapEnvelope } from './storage.ts';

const read = (body: unknown, init: ResponseInit = {}) => {
  const response = new Response(null, init);
  const key = response.ok ? 'data' : 'error';
  return readEnvelope({ [key]: body, response }, 'The call failed');
};

const failure = (body: unknown, init?: ResponseInit): StorageError => {
  try {
    read(body, init);
  } catch (error) {
    if (error instanceof StorageError) return error;
    throw error;
  }
  throw new Error('Expected a StorageError');
};

describe('readEnvelope', () => {
  it.each([
    ['wrapped', { statusCode: 200, body: { requestId: 'r', data: { a: 1 } } }],
    ['flat', { requestId: 'r', data: { a: 1 } }],
    ['yet unparsed', '{"statusCode":200,"body":{"data":{"a":1}}}'],
    ['with a code and data', { requestId: 'r', code: 'SUCCESS', data: { a: 1 } }],
  ])('opens a response that is %s', (_, body) => {
    expect(read(body).data).toEqual({ a: 1 });
  });

  it.each([
    ['an error status', { data: { a: 1 } }, 500],
    ['an error statusCode', { statusCode: 500, body: { data: { a: 1 } } }, 200],
    ['no data', {}, 200],
    ['null as data', { data: null }, 200],
    ['a list as data', { data: [] }, 200],
    ['a page', '<html>', 200],
    ['nothing', undefined, 200],
    ['null', null, 500],
  ])('fails on %s', (_, body, status) => {
    expect(failure(body, { status }).message).toContain('the response is malformed');
  });

  it('uses the request ID of the header if the body has none', () => {
    const headers = { 'X-Request-Id': 'h' };
    expect(failure({ code: 'C' }, { headers }).requestId).toBe('h');
    expect(failure({ code: 'C', requestId: 'b' }, { headers }).requestId).toBe('b');
  });
});

const path = '/api/v2/envs/{envId}/storages:batchDelete';

const init = { body: { fileList: ['a'] } };

it('returns the data of a raw call', async () => {
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
