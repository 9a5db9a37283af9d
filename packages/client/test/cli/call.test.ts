import { once } from 'node:events';
import { events, GatewayError } from '@berth/mock';
import { expect, it } from 'vitest';
import { cliForTests, newFolder, outputOf } from './run-cli.ts';

const TAKEN = '{"message":"The name is taken."}';
const LONG = 'A'.repeat(70_000);

let resume = () => {};
/** Yields a part, and another one after `resume`. */
async function* inTwo<Part>(first: Part, second: Part) {
  const { promise, resolve } = Promise.withResolvers<void>();
  resume = resolve;
  yield first;
  await promise;
  yield second;
}

const { berth, start, session, token } = cliForTests({
  services: {
    bytes: () => new Response(new Uint8Array([0, 127, 10, 13])),
    taken: () => Response.json(JSON.parse(TAKEN), { status: 409 }),
    late: () => {
      throw new GatewayError('SERVICE_TIMEOUT');
    },
    news: () => events(inTwo({ event: 'tick', data: 'one' }, { event: 'tock', data: 'two' })),
    failing: () =>
      new Response(inTwo(Buffer.from(LONG), Buffer.from('B')) as never, { status: 500 }),
  },
});

it.each([
  ['path', [], { method: 'GET', body: undefined }],
  ['text', ['-d', '{"a":"é"}'], { method: 'POST', body: '{"a":"é"}' }],
  ['file', ['-d', '@a.json', '-H', 'X-A: 1', '-H', 'x-a:2'], { headers: { 'x-a': '1, 2' } }],
])('sends the %s as it is, and prints the body as it is', async (_, args, expected) => {
  const env = { BERTH_GATEWAY_TOKEN: token(), BERTH_TC3_SECRET_KEY: 'wrong' };
  const folder = await newFolder({ 'a.json': '{"a":"é"}' });
  const data = args.map((arg) => arg.replace('@', `@${folder}/`));
  const result = await berth(['call', 'bytes', '/a%2Fb//c?x=%20&y', ...data], { env });
  expect(result).toEqual({ code: 0, stdout: '\0\x7f\n\r', stderr: '' });
  const calls = session()
    .requests()
    .map((call) => ({ ...call, headers: Object.fromEntries(call.headers) }));
  expect(calls).toMatchObject([{ target: '/v1/cloudrun/bytes/a%2Fb//c?x=%20&y', ...expected }]);
  if (data.length > 0) expect(calls[0]?.headers['content-type']).toBe('application/json');
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
