import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type SecondServer, startSecondServer } from './second-server/start-second-server.ts';
import { type Call, call } from './second-server/support/call.ts';
import { sign } from './second-server/support/sign.ts';
import { type Service, startService } from './second-server/support/start-service.ts';

let service: Service;
let server: SecondServer;

/** Responds as the query requests: with its `status`, `type`, `disposition`, and the body `content`. */
beforeAll(async () => {
  service = await startService(async (request, response) => {
    const query = new URL(request.url ?? '', 'http://x').searchParams;
    const type = query.get('type');
    const disposition = query.get('disposition');
    if (request.url === '/echo') {
      const body = Buffer.concat(await request.toArray()).toString();
      const { method, rawHeaders } = request;
      response.setHeader('Content-Type', 'application/json');
      return response.end(JSON.stringify({ method, rawHeaders, body }));
    }
    if (request.url === '/broken') return response.destroy();
    const headers = [
      ...['X-Request-Id', 'service', 'X-Own', '1', 'X-Own', '2', 'X-Hop', 'hop'],
      ...['Connection', 'X-Hop'],
      ...(type ? ['Content-Type', type] : []),
      ...(disposition ? ['Content-Disposition', disposition] : []),
    ];
    response.writeHead(Number(query.get('status') ?? 200), 'Own Words', headers).end('content');
  });
  const { url } = service;
  server = await startSecondServer({
    services: { hello: url, vault: url, dead: 'http://127.0.0.1:1' },
  });
});
afterAll(async () => {
  await server.close();
  await service.close();
});

/** A call with all that a good call needs. */
const invoke = (target: string, { headers, ...rest }: Call = {}) =>
  call(server.gatewayUrl + target, {
    headers: { Host: server.gatewayHost, Authorization: `Bearer ${server.token}`, ...headers },
    ...rest,
  });
const at = (query: string) => `/v1/cloudrun/hello/?${query}`;
const DISPOSITION = 'attachment; filename="x"';

describe('responses of a hosted service', () => {
  test('passes through with its status, reason phrase, headers and body', async () => {
    const { status, reason, rawHeaders, text } = await invoke(at('status=418'));
    expect([status, reason, text]).toEqual([418, 'Own Words', 'content']);
    expect(rawHeaders.join()).toContain('X-Own,1,X-Own,2');
    expect(rawHeaders).not.toContain('X-Hop');
    expect(rawHeaders).not.toContain('service');
    expect(rawHeaders.filter((name) => /^x-request-id$/i.test(name))).toHaveLength(1);
  });

  test.each([
    ['C1', 'GET', 'type=application/json', [DISPOSITION]],
    ['C1', 'GET', 'type=text/plain&disposition=inline', [DISPOSITION]],
    ['C1', 'GET', '', [DISPOSITION]],
    [
      'C1',
      'GET',
      'type=a/b&disposition=attachment;filename=own',
      ['attachment;filename=own', DISPOSITION],
    ],
    ['C1', 'GET', 'status=404&type=text/html', [DISPOSITION]],
    ['nothing', 'GET', 'status=204', []],
    ['nothing', 'GET', 'status=304&disposition=inline', []],
    ['C2', 'POST', 'type=text/html', [DISPOSITION]],
    ['C2', 'POST', 'type=application/problem%2bjson&disposition=Inline', [DISPOSITION]],
    ['C2', 'POST', 'type=text/event-stream', [DISPOSITION]],
    ['text', 'POST', 'type=application/json;charset=utf-8&disposition=attachment', []],
    ['text', 'POST', 'type=TEXT/plain', []],
    ['text', 'POST', 'type=application/x-www-form-urlencoded', []],
    ['text', 'POST', '', []],
  ])('gets by %s, on %s with %s', async (_, method, query, expected) => {
    const { rawHeaders } = await invoke(at(query), { method });
    const is = (name = '') => name.toLowerCase() === 'content-disposition';
    expect(rawHeaders.filter((_, at) => at % 2 === 1 && is(rawHeaders[at - 1]))).toEqual(expected);
  });

  test.each(['GET', 'POST'])(
    'gets nothing by C3 on %s where the caller accepts events',
    async (method) => {
      const headers = { Accept: 'text/event-stream' };
      const events = await invoke(at('type=text/event-stream&disposition=inline'), {
        method,
        headers,
      });
      expect(events.headers).not.toHaveProperty('content-disposition');
      const other = await invoke(at('type=text/html'), { method, headers });
      expect(other.headers['content-disposition']).toBe(DISPOSITION);
    },
  );
});

test('path and query reach the service unchanged', async () => {
  for (const [sent, arrived] of [
    ['/v1/cloudrun/hello', '/'],
    ['/v1/cloudrun/hello/', '/'],
    ['/v1/cloudrun/hello?a=%2f&&a', '/?a=%2f&&a'],
    ['/v1/cloudrun/hello/a//b/%2F%e4%b8%ad/../%2e%2e/?', '/a//b/%2F%e4%b8%ad/../%2e%2e/?'],
  ] as const) {
    expect((await invoke(sent)).status).toBe(200);
    expect(service.targets.at(-1)).toBe(arrived);
  }
});

test('method, headers and body reach the service, but the credential does not', async () => {
  const headers = { 'Content-Type': 'application/json; x=Y', 'X-Own': 'Z', 'X-Request-Id': 'mine' };
  const body = '{ "a" : 1 }\n';
  const { text } = await invoke('/v1/cloudrun/hello/echo', { method: 'POST', headers, body });
  const came = JSON.parse(text);
  expect([came.method, came.body]).toEqual(['POST', body]);
  expect(came.rawHeaders.join()).toContain('Content-Type,application/json; x=Y,X-Own,Z');
  expect(came.rawHeaders.join()).toContain('X-Request-Id,mine');
  expect(came.rawHeaders).not.toContain('Authorization');
});

const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });
const target = '/v1/cloudrun/hello/refused';
test.each([
  ['no credentials', 400, 'NO_AUTH', () => [target, { headers: { Authorization: '' } }]],
  ['a wrong token', 400, 'BAD_TOKEN', () => [target, { headers: bearer('x') }]],
  ['no token', 400, 'BAD_TOKEN', () => [target, { headers: bearer('') }]],
  [
    'another scheme',
    400,
    'BAD_TOKEN',
    () => [target, { headers: { Authorization: 'Basic eDp5' } }],
  ],
  ['an expired token', 400, 'BAD_TOKEN', () => [target, { headers: bearer(server.expiredToken) }]],
  [
    'a token from another environment',
    400,
    'BAD_TOKEN',
    () => [target, { headers: bearer(server.otherEnvToken) }],
  ],
  [
    'an empty signature',
    412,
    'BAD_SIGNATURE',
    () => [target, { headers: { Authorization: 'TC3-HMAC-SHA256' } }],
  ],
  ['another host', 421, 'WRONG_HOST', () => [target, { headers: { Host: 'stage-2.second.test' } }]],
  ['a loopback host', 421, 'WRONG_HOST', () => [target, { headers: { Host: '127.0.0.1' } }]],
  ['a short name', 422, 'BAD_NAME', () => ['/v1/cloudrun/h']],
  ['a long name', 422, 'BAD_NAME', () => [`/v1/cloudrun/${'h'.repeat(61)}`]],
  ['an odd name', 422, 'BAD_NAME', () => ['/v1/cloudrun/h%C3%A9llo/x']],
  ['no name', 422, 'BAD_NAME', () => ['/v1/cloudrun/']],
  ['a missing service', 404, 'SERVICE_NOT_FOUND', () => [`/v1/cloudrun/${'h'.repeat(60)}`]],
  ['a closed service', 403, 'SERVICE_FORBIDDEN', () => [`/v1/cloudrun/${server.forbiddenService}`]],
  ['a dead service', 500, 'UPSTREAM_BROKEN', () => ['/v1/cloudrun/dead']],
  ['a service that hangs up', 500, 'UPSTREAM_BROKEN', () => ['/v1/cloudrun/hello/broken']],
  ['another path', 400, 'NO_ROUTE', () => ['/v2/cloudrun/hello']],
  [
    'another type',
    406,
    'TYPE_REFUSED',
    () => [target, { method: 'POST', body: 'a', headers: { 'Content-Type': 'a/b' } }],
  ],
  [
    'a huge body',
    400,
    'BODY_TOO_BIG',
    () => [target, { method: 'POST', body: Buffer.alloc(3_000_000) }],
  ],
  ['OPTIONS', 501, 'VERB_UNKNOWN', () => [target, { method: 'OPTIONS' }]],
  ['DELETE', 501, 'VERB_UNKNOWN', () => [target, { method: 'DELETE' }]],
] as [string, number, string, () => [string, Call?]][])(
  'refuses %s with %i %s in the error body',
  async (_, status, code, make) => {
    const received = await invoke(...make());
    const requestId = received.headers['x-request-id'];
    expect(received.status).toBe(status);
    expect(received.headers['content-type']).toBe('application/json;charset=UTF-8');
    expect(received.headers).not.toHaveProperty('content-disposition');
    expect(requestId).toMatch(/^2nd-[0-9a-z]+$/);
    const body = { code, message: expect.any(String), requestId, origin: 'second' };
    expect(JSON.parse(received.text)).toEqual(body);
    expect(service.targets).not.toContain('/refused');
  },
);

test('rejects HEAD without a body, and gives each call a new ID', async () => {
  const responses = await Promise.all([1, 2, 3].map(() => invoke(at(''), { method: 'HEAD' })));
  expect(responses.map(({ status, text }) => [status, text])).toEqual(Array(3).fill([501, '']));
  expect(new Set(responses.map(({ headers }) => headers['x-request-id'])).size).toBe(3);
});

describe('a signature', () => {
  const target = '/v1/cloudrun/hello/signed?b=%2F&a';
  const body = '{"a":1}';
  const type = 'application/json; Charset=UTF-8';
  const make = (comma = ', ') => {
    const headers = { 'content-type': type, host: server.gatewayHost, 'x-own': 'mixed case' };
    const call = { method: 'POST', target, headers, body };
    return sign(call, server.tc3, Math.floor(Date.now() / 1000), comma);
  };
  const send = (authorization: string, changes: Call & { to?: string } = {}) => {
    const { to = target, headers, ...rest } = changes;
    const own = { 'Content-Type': type, 'X-Own': 'Mixed Case', Authorization: authorization };
    return invoke(to, { method: 'POST', body, headers: { ...own, ...headers }, ...rest });
  };

  test.each([', ', ','])('is sufficient, with "%s" between its parts', async (comma) => {
    expect((await send(make(comma))).status).toBe(200);
    expect((await send(`${make(comma)}${comma}Token=t`)).status).toBe(200);
  });

  test.each([
    ['path', { to: target.replace('signed', 'other') }],
    ['query', { to: `${target}=` }],
    ['method', { method: 'GET' }],
    ['body', { body: '{"a":2}' }],
    ['signed header', { headers: { 'X-Own': 'another' } }],
    ['case of the content type', { headers: { 'Content-Type': type.toLowerCase() } }],
  ] as [string, Call][])('does not fit another %s', async (_, changes) => {
    const calls = service.targets.length;
    expect((await send(make(), changes)).status).toBe(412);
    expect(service.targets).toHaveLength(calls);
  });

  test.each([
    ['another time', (value: string) => value.replace(/Timestamp=\d/, 'Timestamp=2')],
    ['another service', (value: string) => value.replace('/runs/', '/svc/')],
    ['a missing part', (value: string) => value.replace(/SignedHeaders=[^,]*, /, '')],
  ])('is refused with %s', async (_, change) => {
    expect((await send(change(make()))).status).toBe(412);
  });

  test('must cover the host', async () => {
    const value = sign(
      { method: 'POST', target, headers: { 'x-own': 'mixed case' }, body },
      server.tc3,
    );
    expect((await send(value)).status).toBe(412);
  });

  test.each(['multipart/form-data; boundary=b', 'multipart/form-data'])(
    'of a form may precede %s',
    async (signed) => {
      const headers = { 'content-type': signed, host: server.gatewayHost };
      const value = sign({ method: 'POST', target, headers, body }, server.tc3);
      const sent = { 'Content-Type': 'multipart/form-data; boundary=b' };
      expect((await send(value, { headers: sent })).status).toBe(200);
    },
  );
});
