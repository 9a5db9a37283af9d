import { once } from 'node:events';
import { events, GatewayError } from '@berth/mock';
import { expect, it } from 'vitest';
import { newFolder } from '../support/folders.ts';
import { cliForTests } from './run-cli.ts';

const TAKEN = '{"message":"The name is taken."}';
const LONG = 'A'.repeat(70_000);

let resume = () => {};
/** Yields a part, and another one after `resume`. */
async function* inTwo<Part>(first: Part, second: Part) {
  yield first;
  await new Promise<void>((resolve) => {
    resume = resolve;
  });
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
  ['file', ['-d', '@a.json', '-H', 'X-A: 1', '-H', 'x-a:2'], { body: '{"a":"é"}' }],
])('sends the %s as it is, and prints the body as it is', async (name, args, expected) => {
  const env = { BERTH_GATEWAY_TOKEN: token(), BERTH_TC3_SECRET_KEY: 'wrong' };
  const folder = await newFolder({ 'a.json': '{"a":"é"}' });
  const data = args.map((arg) => arg.replace('@', `@${folder}/`));
  const result = await berth(['call', 'bytes', '/a%2Fb//c?x=%20&y', ...data], env);
  expect(result).toEqual({ code: 0, stdout: '\0\x7f\n\r', stderr: '' });
  const [call] = session().requests();
  expect(call).toMatchObject({ target: '/v1/cloudrun/bytes/a%2Fb//c?x=%20&y', ...expected });
  const headers = Object.fromEntries(call?.headers ?? []);
  if (name !== 'path') expect(headers['content-type']).toBe('application/json');
  if (name === 'file') expect(headers['x-a']).toBe('1, 2');
});

it.each([
  ['news', 0, 'event: tick\nid: 1\ndata: one\n\nevent: tock\nid: 2\ndata: two\n\n'],
  ['failing', 1, `${LONG}B`],
])('prints the body of %s as it arrives', async (service, code, stdout) => {
  const { child, result } = start(['call', service]);
  await once(child.stdout ?? child, 'data');
  resume();
  expect(await result).toMatchObject({ code, stdout });
});

it.each<[string, string, RegExp, string?]>([
  ['taken', TAKEN, /: The name is taken\. \(POST \/v1\/cloudrun\/taken, status 409, .*\)\n$/],
  ['late', '', /^berth: The gateway rejected the call: SERVICE_TIMEOUT, .*status 504/],
  ['bytes', '\0', /^berth: The response was interrupted: .*bytes\)\n$/, 'gateway:truncate=1'],
])('prints why %s fails, and the body of a service', async (service, stdout, message, fault) => {
  if (fault) session().faults.put('a', fault);
  const stderr = expect.stringMatching(message);
  expect(await berth(['call', service, '-d', '{}'])).toEqual({ code: 1, stdout, stderr });
});

it('ends without an error when its reader does', async () => {
  const { child, result } = start(['call', 'echo', 'body', '-d', 'A'.repeat(100_000)]);
  await once(child.stdout ?? child, 'data');
  child.stdout?.destroy();
  expect(await result).toMatchObject({ code: 0 });
});
