import { once } from 'node:events';
import { join } from 'node:path';
import { events, GatewayError } from '@berth/mock';
import { describe, expect, it } from 'vitest';
import { cliForTests, newFolder, outputOf } from './run-cli.ts';

let resume = () => {};
async function* twoEvents() {
  const { promise, resolve } = Promise.withResolvers<void>();
  resume = resolve;
  yield { event: 'tick', data: 'one' };
  await promise;
  yield { data: 'two' };
}

const { berth, start, session, token } = cliForTests({
  services: {
    bytes: () => new Response(new Uint8Array([0, 127, 10, 13])),
    text: () => new Response('ok'),
    taken: () => Response.json({ message: 'The name is taken.' }, { status: 409 }),
    late: () => {
      throw new GatewayError('SERVICE_TIMEOUT');
    },
    news: () => events(twoEvents()),
  },
});

/** Returns the only call that the gateway received. */
function onlyCall() {
  const [call, ...others] = session().requests();
  expect(others).toEqual([]);
  return { ...call, headers: Object.fromEntries(call?.headers ?? []) };
}

describe('berth call', () => {
  it('sends the path as it is, and prints the body as it is', async () => {
    const env = { BERTH_GATEWAY_TOKEN: token(), BERTH_TC3_SECRET_KEY: 'wrong' };
    const args = ['call', 'bytes', '/a%2Fb//c?x=%20&y', '-H', 'X-A: 1', '-H', 'x-a:2'];
    const result = await berth(args, { env });
    expect(result).toEqual({ code: 0, stdout: '\0\x7f\n\r', stderr: '' });
    expect(onlyCall()).toMatchObject({
      method: 'GET',
      target: '/v1/cloudrun/bytes/a%2Fb//c?x=%20&y',
      headers: { 'x-a': '1, 2' },
    });
  });

  it.each([
    ['text', ['-d', '{"a":"é"}'], 'application/json'],
    ['a file', ['-d', '@data.json', '-H', 'Content-Type: text/plain'], 'text/plain'],
    ['stdin', ['-d', '-', '-X', 'POST'], 'application/json'],
  ])('posts %s', async (_, args, type) => {
    const body = '{"a":"é"}';
    const folder = await newFolder({ 'data.json': body });
    const data = args.map((arg) => arg.replace('@', `@${join(folder, '/')}`));
    const result = await berth(['call', 'text', ...data], { input: body });
    expect(result).toEqual({ code: 0, stdout: 'ok', stderr: '' });
    expect(onlyCall()).toMatchObject({ method: 'POST', body, headers: { 'content-type': type } });
  });

  it('prints status, headers and body as JSON', async () => {
    const { code, stdout } = await berth(['call', 'hello', '-d', '{"name":"Ada"}', '--json']);
    expect(code).toBe(0);
    const headers = { 'content-type': 'application/json' };
    const body = { message: 'Hello from the hosted service.' };
    expect(JSON.parse(stdout)).toMatchObject({ status: 200, headers, body });
  });

  it.each([
    ['as they are', [], 'event: tick\nid: 1\ndata: one\n\n', 'id: 2\ndata: two\n\n'],
    [
      'as JSON',
      ['--json'],
      '{"event":"tick","data":"one","id":"1"}\n',
      '{"event":"message","data":"two","id":"2"}\n',
    ],
  ])('prints events %s, when they arrive', async (_, args, first, second) => {
    const child = start(['call', 'news', ...args]);
    const result = outputOf(child);
    await once(child.stdout, 'data');
    resume();
    expect(await result).toMatchObject({ code: 0, stdout: first + second, stderr: '' });
  });

  it('prints the error of a service with its status and its body', async () => {
    const { code, stdout, stderr } = await berth(['call', 'taken', 'names', '-d', '{}']);
    const body = { message: 'The name is taken.' };
    expect({ code, body: JSON.parse(stdout) }).toEqual({ code: 1, body });
    expect(stderr).toMatch(
      /^berth: .*: The name is taken\. \(POST \/v1\/cloudrun\/taken\/names, status 409, .*\)\n$/,
    );
    const inJson = await berth(['call', 'taken', '--json']);
    expect(inJson).toMatchObject({ code: 1, stderr: '' });
    expect(JSON.parse(inJson.stdout)).toMatchObject({ status: 409, body });
  });

  it('prints the error of the gateway', async () => {
    const { code, stdout, stderr } = await berth(['call', 'late', '-d', '{}']);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^berth: The gateway rejected the call: SERVICE_TIMEOUT, .*status 504/);
  });
});
