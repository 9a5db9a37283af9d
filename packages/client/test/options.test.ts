import { tmpdir } from 'node:os';
import type { GatewayClient, Service, StorageClient } from '@berth/client';
import { bearer, createGatewayClient, createStorageClient, tc3 } from '@berth/client';
import { describe, expect, it } from 'vitest';
import { credentials, gatewayWith, storageWith } from './support/clients.ts';

describe('an option is checked when it is passed:', () => {
  const BASE_URL =
    'baseUrl must be an absolute http(s) URL without credentials, a query or a fragment.';
  const AUTH = 'auth must be bearer(…), tc3(…), or an object with authorize()';
  const CHANGED = 'which fetch would change';
  const gateway = (options: object) => () =>
    createGatewayClient({ baseUrl: 'https://g.example', ...options });
  const attempts = (value: number) => gateway({ retry: { attempts: value } });
  const storage = (options: object) => () =>
    createStorageClient({ baseUrl: 'https://s.example', envId: 'dev', credentials, ...options });

  it.each<[string, () => unknown]>([
    [BASE_URL, gateway({ baseUrl: undefined })],
    [BASE_URL, gateway({ baseUrl: 'https://:5ec4e7@a.example' })],
    [BASE_URL, gateway({ baseUrl: 'https://a.example/?x=5ec4e7' })],
    [BASE_URL, gateway({ baseUrl: 'https://a.example/#x' })],
    [BASE_URL, gateway({ baseUrl: '/base' })],
    [BASE_URL, storage({ baseUrl: '' })],
    [`${AUTH}, got string.`, gateway({ auth: '5ec4e7' })],
    ['timeout must be a number of at least 0, got -1.', gateway({ timeout: -1 })],
    ['retry must be an object, got 3.', gateway({ retry: 3 })],
    ['retry.attempts must be an integer of at least 1, got 2.5.', attempts(2.5)],
    ['retry.attempts must be an integer of at least 1, got Infinity.', attempts(Infinity)],
    ['retry.attempts must be at most 10, got 11.', attempts(11)],
    ['retry.delay must be a number of at least 0, got NaN.', storage({ retry: { delay: NaN } })],
    ['envId must be a string, got undefined.', storage({ envId: undefined })],
    ['envId must not be empty.', storage({ envId: '' })],
    [`envId must not contain "..", ${CHANGED}.`, storage({ envId: '..' })],
    [`envId must not contain "\\ud800", ${CHANGED}.`, storage({ envId: 'a\ud800' })],
    ['name must not be empty.', () => gateway({})().service('')],
    [`name must not contain "\\udc00", ${CHANGED}.`, () => gateway({})().service('\udc00')],
    ['credentials must be an object or a function, got 7.', storage({ credentials: 7 })],
    ['token must not be empty.', () => bearer('')],
    ['token must be a string, got undefined.', () => bearer(undefined as never)],
    ['The token must not include "Bearer".', () => bearer(' bearer  5ec4e7')],
    ['secretId and secretKey must not be empty.', () => tc3({ secretId: 'a', secretKey: '' })],
  ])('%s', (message, create) => {
    expect(create).toThrow(expect.objectContaining({ kind: 'options', message }));
  });
});

describe('an argument is checked before anything is sent:', () => {
  const begun = () => {
    const stream = new Blob(['hi']).stream();
    const reader = stream.getReader();
    void reader.read().then(() => reader.releaseLock());
    return stream;
  };
  const post = (body: unknown) => (service: Service) => service.post('a', body);
  const foreign = (tag: string) => ({ [Symbol.toStringTag]: tag });
  const polyfill = { ...foreign('ReadableStream'), getReader: () => {} };
  const protocols = ['a b'];
  const used = new Request('https://h.example', { method: 'POST', body: 'a' });
  void used.text();
  it.each<[string, (service: Service, gateway: GatewayClient) => Promise<unknown>]>([
    ['This FormData cannot be sent: pass JSON, text or bytes.', post(foreign('FormData'))],
    ['This Blob cannot be sent: pass JSON, text or bytes.', post(foreign('Blob'))],
    ['This Map cannot be sent: pass JSON, text or bytes.', post(new Map([['a', 1]]))],
    ['This Promise cannot be sent', post(Promise.resolve({ a: 1 }))],
    ['A body cannot be sent as JSON: Do not know how to serialize a BigInt', post({ a: 1n })],
    ['This ReadableStream cannot be sent: pass JSON, text or bytes.', post(polyfill)],
    ['The body was already read.', post(begun())],
    ['The body was already read.', (_, gateway) => gateway.fetch(used)],
    ['A GET request cannot have a body.', (service) => service.request('a', { body: 'a' })],
    ['x-a has invalid characters.', (service) => service.get('a', { headers: { 'x-a': 'é€' } })],
    ['a b has invalid characters.', (service) => service.get('a', { headers: [['a b', 'c']] })],
    ['path must be a string, got 7.', (service) => service.get(7 as never)],
    ['path must not contain "..", which fetch would change.', (service) => service.get('a/../b')],
    ['"%2e%2e", which fetch would change.', (service) => service.get('%2e%2e')],
    ['"\\ud800", which fetch would change.', (service) => service.get('a\ud800')],
    ['"#", which fetch would change: use encodeURIComponent.', (service) => service.get('a#b')],
    ['"a\\\\b", which fetch would change: use encode', (service) => service.get('a\\b')],
    ['Invalid Sec-WebSocket-Protocol value', (service) => service.connect('a', { protocols })],
  ])('%s', async (message, call) => {
    const { gateway, service, requests } = gatewayWith([]);
    const error = { kind: 'options', message: expect.stringContaining(message) };
    await expect(call(service, gateway)).rejects.toMatchObject(error);
    expect(requests).toEqual([]);
  });

  const part = (offset: number, length?: number) => ({ range: { offset, length } });
  it.each<[string, keyof StorageClient, ...unknown[]]>([
    ['fileIDs must be an array, got undefined.', 'delete', undefined],
    ['fileID must be a string, got undefined.', 'delete', [undefined]],
    ['files must be an array, got undefined.', 'copy', undefined],
    ['dstPath must be a string, got undefined.', 'copy', '/a', undefined],
    ['path must not be empty.', 'upload', '', 'a'],
    ['data must be text, bytes, a Blob, a stream or { file }, got object.', 'upload', 'a', {}],
    ['The body was already read.', 'upload', 'a', begun()],
    [`${tmpdir()} is not a file.`, 'upload', 'a', { file: tmpdir() }],
    ['file must be a path or a file: URL, got 5.', 'upload', 'a', { file: 5 }],
    ['file must be a path or a file: URL, got object.', 'downloadToFile', 'a', new URL('http://h')],
    ['file must be a path or a file: URL, got string.', 'downloadToFile', 'a', ''],
    ['The content is smaller than its size (6 bytes).', 'upload', 'a', 'hello', { size: 6 }],
    ['range.offset must be an integer of at least 0, got 0.5.', 'download', 'a', part(0.5)],
    ['range.offset must be an integer of at least 0, got NaN.', 'download', 'a', { range: {} }],
    ['range.length must be an integer of at least 1, got 0.', 'download', 'a', part(0, 0)],
  ])('%s', async (message, method, ...args) => {
    const { storage, requests } = storageWith([]);
    const call = storage[method] as (...all: unknown[]) => Promise<unknown>;
    await expect(call(...args)).rejects.toMatchObject({ kind: 'options', message });
    expect(requests).toEqual([]);
  });
});
