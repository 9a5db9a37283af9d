import { randomBytes } from 'node:crypto';
import type { RequestListener } from 'node:http';
import {
  createCors,
  createGatewayRouter,
  createStorageRouter,
  createUploadRouter,
  defaultWireProfile,
  GatewayError,
  type GatewayHandler,
} from '@berth/server-stubs';
import { createMemoryStore, createStorage, FILES_PATH } from '@berth/server-stubs/engine';
import { createDownloadListener, createSigner } from '@berth/server-stubs/engine/node';

/** Credentials that the deployment accepts. */
const TOKEN = 'token';
export const STORAGE_HEADERS = {
  'X-Svc-Authorization': '1.0 TC3-HMAC-SHA256 Credential=test',
  'X-Svc-SessionToken': '',
  'X-Svc-TimeStamp': '1700000000',
};

/**
 * An in-memory deployment with one environment and the hosted service `hello`. Contains everything that
 * a team writes; the rest is in the routers.
 *
 * @param base the deployment's own URL, known once it listens
 */
export function createMemoryDeployment(base: () => string): RequestListener {
  const onError = (error: unknown) => {
    process.emitWarning(error as Error);
  };
  const files = createStorage({
    blobs: createMemoryStore(),
    signer: createSigner([randomBytes(32)]),
    bucketOf: () => 'files',
    publicUrl: base,
    uploadTarget: '/',
    onError,
  });
  const credentials = ({ authorization }: { authorization: string }) =>
    authorization === STORAGE_HEADERS['X-Svc-Authorization'] && { env: 'dev', id: 'test' };
  const storage = createStorageRouter(files.storage, { env: 'dev', security: { credentials } });
  const upload = createUploadRouter(files.upload);
  const links = createDownloadListener({
    download: files.download,
    cors: createCors('link', defaultWireProfile),
    onError,
  });
  const bearerToken = (token: string) => token === TOKEN;
  const gateway = createGatewayRouter(
    {
      'cloudrun-get-root': hello,
      'cloudrun-post-root': hello,
      'cloudrun-get': hello,
      'cloudrun-post': hello,
    },
    { env: 'dev', security: { bearerToken, signature: () => false } },
  );

  return (request, response) => {
    if (request.url?.startsWith(`${FILES_PATH}/`)) return links(request, response);
    return storage(request, response, () => {
      upload(request, response, () => gateway(request, response));
    });
  };
}

const hello: GatewayHandler = ({ name, headers: { accept } }) => {
  if (name !== 'hello') throw new GatewayError('SERVICE_NOT_FOUND');
  return accept === 'text/plain'
    ? { status: 200, headers: { 'content-type': 'text/plain' }, body: 'Hello.' }
    : { status: 200, headers: { 'content-type': 'application/json' }, body: '{"hello":"you"}' };
};
