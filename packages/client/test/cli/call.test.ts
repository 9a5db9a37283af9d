import { once } from 'node:events';
import { events, GatewayError } from '@berth/mock';
import { describe, expect, it } from 'vitest';
import { cliForTests, newFolder, outputOf } from './run-cli.ts';

const TAKEN = '{"message":"The name is taken."}';
const JSON_TYPE = { 'Content-Type': 'application/json' };

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
    taken: () => new Response(TAKEN, { status: 409, headers: JSON_TYPE }),
    late: () => {
      throw new GatewayError('SERVICE_TIMEOUT');
    },
    news: () => events(twoEvents()),
  },
});

/** Returns the only call that the gateway received. */
function onlyCall() {
  expect(session().requests()).toHaveLength(1);
  const [call] = session().requests();
  return { ...call, headers: Object.fromEntries(call?.headers ?? []) };
}

describe('berth call', () => {
  it('sends the path as it is, and prints the body as it is', async () => {
    const env = { BERTH_GATEWAY_TOKEN: token(), BERTH_TC3_SECRET_KEY: 'wrong' };
    const args = ['call', 'bytes', '/a%2Fb//c?x=%20&y', '-H', 'X-A: 1', '-H', 'x-a:2'];
    const result = await berth(args, { env });
    expect(result).toEqual({ code: 0, stdout: '\0\x7f\n\r', stderr: '' });
    const target = '/v1/cloudrun/bytes/a%2Fb//c?x=%20&y';
    expect(onlyCall()).toMatchObject({ method: 'GET', target, headers: { 'x-a': '1, 2' } });
  });

  it.each([
    ['text', ['-d', '{"a":"é"}'], 'application/json'],
    ['a file', ['-d', '@data.json', '-H', 'Content-Type: text/plain'], 'text/plain'],
    ['stdin', ['-d', '-', '-X', 'POST'], 'application/json'],
  ])('posts %s', async (_, args, type) => {
    const body = '{"a":"é"}';
    const folder = await newFolder({ 'data.json': body });
    const data = args.map((arg) => arg.replace('@', `@${folder}/`));
    const result = await berth(['call', 'text', ...data], { input: body });
    expect(result).toEqual({ code: 0, stdout: 'ok', stderr: '' });
    expect(onlyCall()).toMatchObject({ method: 'POST', body, headers: { 'content-type': type } });
  });

  it('prints events when they arrive', async () => {
    const child = start(['call', 'news']);
    const result = outputOf(child);
    await once(child.stdout, 'data');
    resume();
    const stdout = 'event: tick\nid: 1\ndata: one\n\nid: 2\ndata: two\n\n';
    expect(await result).toEqual({ code: 0, stdout, stderr: '' });
  });

  it.each([
    ['taken', /: The name is taken\. \(POST \/v1\/cloudrun\/taken, status 409, .*\)\n$/],
    ['late', /^berth: The gateway rejected the call: SERVICE_TIMEOUT, .*status 504/],
  ])('prints why %s fails, and the body of a service', async (service, message) => {
    const { code, stdout, stderr } = await berth(['call', service, '-d', '{}']);
    expect({ code, stdout }).toEqual({ code: 1, stdout: service === 'taken' ? TAKEN : '' });
    expect(stderr).toMatch(message);
  });
});
