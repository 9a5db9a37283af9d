import { mkdtemp, rm } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer, text } from 'node:stream/consumers';
import { createStorageClient, tc3Storage } from '@berth/client';
import { createMock } from '@berth/mock';
import { listen } from '@berth/runtimes/listen';
import { createServer } from '@berth/server';
import profile from '@berth/spec/wire-profiles/default.json' with { type: 'json' };
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import type { Deployment } from './checks.ts';

const ENV = 'dev';
const MARK = 'interop ';
const KEY_PAIR = { id: 'interop', secret: 'the key pair of the generator matrix' };

/** Starts the mock and the reference server, with the same hosted service behind both. */
export async function startDeployments() {
  const folder = await mkdtemp(join(tmpdir(), 'berth-interop-'));
  const service = await startService();
  const mock = await createMock({ auth: 'strict', services: { hello: { proxy: service.url } } });
  const { publicKey, privateKey } = await generateKeyPair('ES256');
  const jwks = { keys: [{ ...(await exportJWK(publicKey)), alg: 'ES256', kid: 'interop' }] };
  const server = await createServer({
    listen: { port: 0 },
    admin: { port: 0 },
    log: { level: 'silent' },
    store: { driver: 'file', root: folder },
    keys: [{ secret: 'a key that signs links and grants' }],
    environments: {
      [ENV]: {
        tokens: { jwks },
        credentials: [KEY_PAIR],
        services: { hello: { endpoints: [service.url] } },
      },
    },
  });
  await server.listen();
  const token = await new SignJWT({ sub: 'interop' })
    .setProtectedHeader({ alg: 'ES256', kid: 'interop' })
    .setAudience(ENV)
    .setExpirationTime('1h')
    .sign(privateKey);
  const strict = await mock.credentials();
  return {
    deployments: {
      mock: await toDeployment(service.url, mock.url, strict.token, strict),
      server: await toDeployment(service.url, server.url, token, KEY_PAIR),
    },
    async close() {
      await Promise.all([mock.close(), server.close(), service.close()]);
      await rm(folder, { recursive: true });
    },
  };
}

type Grant = Awaited<ReturnType<Deployment['createGrant']>>;

async function toDeployment(
  serviceUrl: string,
  url: string,
  token: string,
  { id, secret }: typeof KEY_PAIR,
): Promise<Deployment> {
  const credentials = tc3Storage({ secretId: id, secretKey: secret });
  const { authorization, timestamp } = await credentials();
  const { storageHeaders: names } = profile;
  const storageHeaders = {
    [names.authorization]: authorization,
    [names.sessionToken]: '',
    [names.timestamp]: String(timestamp),
  };
  return {
    ...{ gatewayUrl: url, storageUrl: url, env: ENV, token, storageHeaders },
    storage: createStorageClient({ baseUrl: url, envId: ENV, credentials }),
    async createGrant(path) {
      const call = `${url}/api/v2/envs/${ENV}/storages:getUploadMetaData`;
      const headers = { 'Content-Type': 'application/json', ...storageHeaders };
      const response = await fetch(call, {
        method: 'POST',
        headers,
        body: JSON.stringify({ path }),
      });
      const { body } = (await response.json()) as { body: { data: Grant } };
      const { url: target, authorization, ...grant } = body.data;
      const to = `${serviceUrl}/upload?to=${encodeURIComponent(target)}&bucket=files`;
      // Without the target above, which removes the mark, the grant is not valid.
      return { ...grant, url: to, authorization: MARK + authorization };
    },
  };
}

/**
 * A hosted service: `/text` is text, `/events` sends one event and stays open, anything else describes
 * the request as JSON. `/upload` is a proxy of the real upload target, with a path and a query of its
 * own.
 */
function startService() {
  return listen(async (request, response) => {
    if (request.url === '/text') {
      response.writeHead(200, { 'Content-Type': 'text/plain' }).end('Hello');
    } else if (request.url === '/events') {
      response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      response.write('id: 1\ndata: {"delta":"Hel"}\n\n');
    } else if (request.url?.startsWith('/upload')) {
      const { status, text } = await forwardUpload(request);
      response.writeHead(status).end(text);
    } else {
      response.writeHead(200, { 'Content-Type': 'application/json' });
      response.end(JSON.stringify(await describe(request)));
    }
  });
}

const CREDENTIALS = ['Authorization', ...Object.values(profile.storageHeaders)];

/** Forwards a form that was posted to exactly the URL of its grant, without credentials (CL-UPLOAD-CREDENTIALS). */
async function forwardUpload(request: IncomingMessage) {
  const [, to] = /^\/upload\?to=([^&]+)&bucket=files$/.exec(request.url ?? '') ?? [];
  const form = (await buffer(request)).toString('latin1').replace(MARK, '');
  const hasCredentials = CREDENTIALS.some((name) => name.toLowerCase() in request.headers);
  if (to === undefined || hasCredentials) return { status: 404, text: '<Error/>' };
  const headers = { 'Content-Type': String(request.headers['content-type']) };
  const body = Buffer.from(form, 'latin1');
  const response = await fetch(decodeURIComponent(to), { method: 'POST', headers, body });
  return { status: response.status, text: await response.text() };
}

async function describe(request: IncomingMessage) {
  const { method, url, headers } = request;
  return { method, url, type: headers['content-type'], body: await text(request) };
}
