import { createGatewayRouter, createStorageRouter, createUploadRouter } from '@berth/server-stubs';
import {
  createGatewaySignature,
  createKeyPairs,
  createStorageSignature,
} from '@berth/server-stubs/auth';
import { createTableRouter } from '@berth/server-stubs/runtime';
import { expect, test } from 'vitest';
import { toTable } from './support/to-table.ts';

const call = () => ({ status: 200 });
const gatewaySecurity = { bearerToken: call, signature: call };
const storageSecurity = { credentials: call };
const requests = { streamBytes: 1 };
const table = toTable([{ path: '/' }]);
const secured = toTable([{ path: '/', security: [['bearer']] }], {
  securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
});
const twice = toTable([{ path: '/' }, { path: '/' }]);

type Create = (handlers: object, options?: object) => unknown;
const gateway = createGatewayRouter as Create;
const storage = createStorageRouter as Create;
const upload = createUploadRouter as Create;
const gatewayWith = (options: object) =>
  gateway({ call }, { security: gatewaySecurity, ...options });
const pair = (credential: object) =>
  createKeyPairs({ dev: { credentials: [credential as never] } });

// For users of JavaScript, too.
test.each<[message: string, create: () => unknown]>([
  ['handlers.call is missing', () => gateway({}, { security: gatewaySecurity })],
  ['handlers.websocket', () => gateway({ call, websocket: call }, { security: gatewaySecurity })],
  ['options.security.bearerToken is missing', () => gateway({ call })],
  ['options.security.signature is missing', () => gatewayWith({ security: { bearerToken: call } })],
  // A body is never left unverified by mistake.
  ['options.signedBodies', () => gatewayWith({ signedBodies: 'Router' })],
  ['options.envs does not', () => gatewayWith({ envs: 'dev' })],
  ['requests.bodybytes does not', () => gatewayWith({ requests: { bodybytes: 1 } })],
  ['cors.origin does not', () => gatewayWith({ cors: { origin: '*' } })],
  ['options.batchitems does', () => storage({}, { security: storageSecurity, batchitems: 1 })],
  ['Use fileBytes, requests', () => upload({ uploadFile: call }, { fileByte: 1 })],
  ['options.onerror', () => createTableRouter(table, {}, { onerror: call } as object)],
  ['options.window does', () => createStorageSignature({ window: 1 } as never)],
  ['options.signingHost does', () => createGatewaySignature({ signingHost: 'a' } as never)],
  ['Use streamBytes.', () => gatewayWith({ requests: { bodyBytes: 1 } })],
  ['Use bodyBytes.', () => storage({}, { security: storageSecurity, requests })],
  ['requests.streamBytes', () => gatewayWith({ requests: { streamBytes: '1' } })],
  ['cors.credentials requires', () => gatewayWith({ cors: { credentials: true } })],
  // A string would allow each origin that it contains.
  ['cors.origins must', () => gatewayWith({ cors: { origins: 'https://a.example' } })],
  ['options.security.credentials is missing', () => storage({})],
  ['handlers.batchDeletes', () => storage({ batchDeletes: call }, { security: storageSecurity })],
  ['batchItems must be', () => storage({}, { security: storageSecurity, batchItems: Number.NaN })],
  ['handlers.uploadFile is missing', () => upload({})],
  ['handlers.uploadFiles', () => upload({ uploadFile: call, uploadFiles: call })],
  ['fileBytes must be', () => upload({ uploadFile: call }, { fileBytes: Number.NaN })],
  ['handlers.nothing', () => createTableRouter(table, { nothing: call })],
  ['requests.bodyBytes', () => createTableRouter(table, {}, { requests: { bodyBytes: -1 } })],
  ['options.responses must', () => createTableRouter(table, {}, { responses: 'Check' as never })],
  ['more than once', () => createTableRouter(twice, {})],
  ['options.security.bearer is missing', () => createTableRouter(secured, {})],
  ['without slashes', () => pair({ id: 'a/b', secret: 's' })],
  ['must have an `id`', () => pair({ id: undefined, secret: 's' })],
  ['must have a `secret`', () => pair({ id: 'a', secret: '' })],
  ['credential.expiresAt does', () => pair({ id: 'a', secret: 's', expiresAt: new Date() })],
  ['header cannot contain', () => pair({ id: 'a', secret: 's', token: 'a,b' })],
])('rejects invalid options: %s', (message, create) => {
  expect(create).toThrow(TypeError);
  expect(create).toThrow(message);
});
