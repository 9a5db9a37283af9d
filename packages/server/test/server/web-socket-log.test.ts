import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { startHelloService } from '../../src/cli/hello-service.ts';
import { startServer } from './support/start-server.ts';

async function startEcho(log: { calls?: boolean; level?: 'debug' | 'info' }) {
  const { origin, close } = await startHelloService();
  onTestFinished(close);
  const started = await startServer({ log }, { services: { hello: { endpoints: [origin] } } });
  const open = (token: string) =>
    new WebSocket(`${started.url.replace('http', 'ws')}/v1/cloudrun/hello/chat?secret=1`, {
      headers: { authorization: `Bearer ${token}` },
    });
  const calls = () => started.lines.filter(({ surface }) => surface === 'gateway');
  return { ...started, open, calls };
}

async function refusal(socket: WebSocket): Promise<number | undefined> {
  const [request, response] = await once(socket, 'unexpected-response');
  request.destroy();
  return response.statusCode;
}

const SHARED = { method: 'GET', path: '/v1/cloudrun/hello/chat', operation: 'cloudrun-get' };

test('counts a WebSocket and its refusal as calls, and logs each if calls are logged', async () => {
  const { open, calls, token, adminUrl } = await startEcho({ calls: true });
  const socket = open(token);
  await once(socket, 'open');
  socket.terminate();
  expect(await refusal(open('x.y.z'))).toBe(401);
  expect(calls()).toMatchObject([
    { level: 'info', msg: 'call', ...SHARED, status: 101, env: 'dev', caller: 'me' },
    { level: 'info', msg: 'call', ...SHARED, status: 401, code: 'ACCESS_TOKEN_INVALID' },
  ]);
  expect(calls()[0]?.requestId).toMatch(/^[\da-f-]{36}$/);
  expect(calls()[0]?.ms).toBeGreaterThan(0);
  const metrics = await (await fetch(`${adminUrl}/metrics`)).text();
  expect(metrics).toContain(
    'operation="cloudrun-get",status="1xx",code="",env="dev",service="hello"} 1',
  );
  expect(metrics).toContain(
    'status="4xx",code="ACCESS_TOKEN_INVALID",env="dev",service="hello"} 1',
  );
});

test('otherwise only logs a refusal, at debug', async () => {
  const quiet = await startEcho({});
  expect(await refusal(quiet.open('x.y.z'))).toBe(401);
  expect(quiet.calls()).toEqual([]);
  const loud = await startEcho({ level: 'debug' });
  expect(await refusal(loud.open('x.y.z'))).toBe(401);
  expect(loud.calls()).toMatchObject([{ level: 'debug', msg: 'call rejected', status: 401 }]);
});
