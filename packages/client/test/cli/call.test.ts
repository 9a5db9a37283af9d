import { once } from 'node:events';
import { events, GatewayError } from '@berth/mock';
import { describe, expect, it } from 'vitest';
import { cliForTests, newFolder, outputOf } from './run-cli.ts';

const TAKEN = '{"message":"The name is taken."}';
const JSON_TYPE = { 'Content-Type': 'application/json' };

let resume = () => {};
/** Yields a part, and another one after `resume`. */
async function* inTwo<Part>(first: Part, second: Part) {
  const { promise, resolve } = Promise.withResolvers<void>();
  resume = resolve;
  yield first;
  await promise;
  yield second;
}
const LONG = 'A'.repeat(70_000);

const { berth, start, session, token } = cliForTests({
  services: {
    bytes: () => new Response(new Uint8Array([0, 127, 10, 13])),
    text: () => new Response('ok'),
    taken: () => new Response(TAKEN, { status: 409, headers: JSON_TYPE }),
    late: () => {
      throw new GatewayError('SERVICE_TIMEOUT');
    },
    news: () => events(inTwo({ event: 'tick', data: 'one' }, { event: 'tock', data: 'two' })),
    failing: () =>
      new Response(inTwo(Buffer.from(LONG), Buffer.from('B')) as never, { status: 500 }),
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

  it.each([
    ['news', 0, 'event: tick\nid: 1\ndata: one\n\nevent: tock\nid: 2\ndata: two\n\n'],
    ['failing', 1, `${LONG}B`],
  ])('prints the body of %s as it arrives', async (service, code, stdout) => {
    const child = start(['call', service]);
    const result = outputOf(child);
    await once(child.stdout, 'data');
    resume();
    expect(await result).toMatchObject({ code, stdout });
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
