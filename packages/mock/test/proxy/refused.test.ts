import { freePort } from '@berth/runtimes/free-port';
import { afterAll, describe, expect, test } from 'vitest';
import { createMock } from '../../src/index.ts';
import { gateway, storage } from '../helpers/calls.ts';
import { askForWebSocket } from '../helpers/handshake.ts';

const open = await createMock();
const mock = await createMock({ proxy: open.url });
afterAll(() => Promise.all([open.close(), mock.close()]));

describe('a deployment that is the mock itself', async () => {
  const port = await freePort();
  const round = await createMock({ port, proxy: `http://localhost:${port}` });
  afterAll(() => round.close());

  test('is reported, and the call does not loop', async () => {
    const { status, json } = await gateway(round, { path: '/v1/cloudrun/hello' });
    expect([status, json.code]).toEqual([502, 'BAD_GATEWAY']);
    expect(json.message).toContain('The deployment is this mock itself');
    expect((await storage(round, 'batchDelete', { fileList: [] })).status).toBe(502);
    expect(round.session().requests()).toHaveLength(4);
  });

  test('is reported to a client that opens a WebSocket', async () => {
    expect((await askForWebSocket(`${round.url}/v1/cloudrun/echo`)).statusCode).toBe(502);
  });
});

describe('a page whose name points to this machine', () => {
  const headers = { host: 'evil.example.com' };

  test('reaches no deployment', async () => {
    const before = open.session().requests().length;
    const { status, json } = await gateway(mock, { path: '/v1/cloudrun/hello', headers });
    expect([status, json.code]).toEqual([421, 'INVALID_HOST']);
    expect(json.message).toContain('not as evil.example.com');
    expect((await storage(mock, 'batchDelete', { fileList: [] }, headers)).status).toBe(421);
    expect((await askForWebSocket(`${mock.url}/v1/cloudrun/echo`, headers)).statusCode).toBe(421);
    expect(open.session().requests()).toHaveLength(before);
  });

  test('is accepted if the mock is exposed to the network', async () => {
    await using shared = await createMock({ host: '0.0.0.0', proxy: open.url });
    expect((await gateway(shared, { path: '/v1/cloudrun/hello', headers })).status).toBe(200);
  });
});
