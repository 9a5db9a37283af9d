import { randomBytes } from 'node:crypto';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import {
  type CorsOptions,
  createCors,
  createGatewayRouter,
  createStorageRouter,
  createUploadRouter,
  defaultWireProfile,
  type GatewayRouter,
} from '@berth/server-stubs';
import {
  type BlobStore,
  createMemoryStore,
  createStorage,
  FILES_PATH,
  type Storage,
} from '@berth/server-stubs/engine';
import { createDownloadListener, createSigner } from '@berth/server-stubs/engine/node';
import type { Deployment } from '../platform-case.ts';
import { type Certificate, createCertificate } from './create-certificate.ts';
import { startServices } from './start-services.ts';
import { toGatewayHandlers } from './to-gateway-handlers.ts';

const ENV = 'dev';
const TOKEN = 'a-token.of-the.suite';
const KEY_PAIR = { secretId: 'suite-id', secretKey: 'suite-key' };
/** No page in the suite has this origin. */
const ELSEWHERE = { origins: ['https://elsewhere.example'] };

/** A running deployment, and the certificate that the platforms must trust. */
export interface RunningDeployment {
  readonly deployment: Deployment;
  readonly trusted: Certificate;
  close(): void;
}

/**
 * Starts a deployment on the stubs, in memory, on free ports of the loopback. It checks who calls by
 * name only: signatures are the business of the reference server.
 *
 * @param folder where the certificates are written
 */
export async function startDeployment(folder: string): Promise<RunningDeployment> {
  const services = await startServices();
  const files = createStorage({
    blobs: pauseAborted(createMemoryStore()),
    signer: createSigner([randomBytes(32)]),
    bucketOf: () => 'files',
    publicUrl: ({ socket, headers }) =>
      `${'encrypted' in socket ? 'https' : 'http'}://${headers.host}`,
    uploadTarget: '/',
    onError,
  });
  const handlers = toGatewayHandlers(services.origins);
  const [trusted, strange] = await Promise.all([
    createCertificate(folder, 'trusted'),
    createCertificate(folder, 'strange'),
  ]);
  const servers: Server[] = [];

  const listen = async (cors: CorsOptions, certificate?: Certificate) => {
    const gateway = createGatewayRouter(handlers, {
      env: ENV,
      cors,
      security: {
        bearerToken: (token) => token === TOKEN,
        signature: (value) => value.includes(`Credential=${KEY_PAIR.secretId}/`),
      },
    });
    const listener = toListener(gateway, files, cors);
    const options = { shouldUpgradeCallback: gateway.shouldUpgrade };
    const server = certificate
      ? createSecureServer({ ...options, ...certificate }, listener)
      : createServer(options, listener);
    server.on('upgrade', gateway.upgrade);
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const base = `${certificate ? 'https' : 'http'}://127.0.0.1:${port}`;
    return { gateway: base, storage: base, ca: certificate?.cert ?? '' };
  };

  const open = await listen({});
  const gone = await listen({});
  servers.pop()?.close();
  return {
    trusted,
    deployment: {
      ...{ gateway: open.gateway, storage: open.storage, nowhere: gone.gateway },
      ...{ envId: ENV, token: TOKEN, keyPair: KEY_PAIR },
      secure: await listen({}, trusted),
      strange: await listen({}, strange),
      closed: await listen(ELSEWHERE),
    },
    close() {
      services.close();
      for (const server of servers) {
        server.close();
        if ('closeAllConnections' in server) (server.closeAllConnections as () => void)();
      }
    },
  };
}

function toListener(gateway: GatewayRouter, files: Storage, cors: CorsOptions): RequestListener {
  const credentials = ({ authorization }: { authorization: string }) =>
    authorization.includes(`Credential=${KEY_PAIR.secretId}/`) && { env: ENV, id: 'suite' };
  const storage = createStorageRouter(files.storage, { env: ENV, cors, security: { credentials } });
  const upload = createUploadRouter(files.upload, { cors });
  const links = createDownloadListener({
    download: files.download,
    cors: createCors('link', defaultWireProfile, cors),
    onError,
  });
  return (request, response) => {
    if (request.url?.startsWith(`${FILES_PATH}/`)) return links(request, response);
    return storage(request, response, () => {
      upload(request, response, () => gateway(request, response));
    });
  };
}

function onError(error: unknown): void {
  process.emitWarning(error as Error);
}

/** Resumes reading after a while, so that a browser sees progress before it has sent everything. */
function pauseAborted(blobs: BlobStore): BlobStore {
  return {
    ...blobs,
    write: (key, content, options) =>
      blobs.write(key, key.path.endsWith('aborted.bin') ? pauseOnce(content) : content, options),
  };
}

async function* pauseOnce(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let isFirst = true;
  for await (const chunk of content) {
    if (isFirst) await wait(500);
    isFirst = false;
    yield chunk;
  }
}
