import type { IncomingMessage } from 'node:http';

const addresses = new Map([['hello', 'http://127.0.0.1:9000']]);
const verifyToken = async (_token: string, _env: string) => ({ name: 'me' });
const verifySignature = async (_authorization: string, _request: IncomingMessage) => undefined;

// #region router
import { createGatewayRouter, type GatewayHandler, GatewayError } from '@berth/server-stubs';
import { request } from 'undici';

const call: GatewayHandler = async ({ name, target, method, headers, body }, { signal }) => {
  const address = addresses.get(name);
  if (address === undefined) throw new GatewayError('SERVICE_NOT_FOUND');
  const response = await request(address + target, { method, headers, body: body ?? null, signal });
  return { status: response.statusCode, headers: response.headers, body: response.body };
};

const gateway = createGatewayRouter(
  { call },
  {
    env: 'dev',
    security: {
      bearerToken: (token, { env }) => verifyToken(token, env),
      signature: (authorization, { request }) => verifySignature(authorization, request),
    },
  },
);
// #endregion
