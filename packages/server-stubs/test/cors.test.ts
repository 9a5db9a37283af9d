import { createCors } from '@berth/server-stubs/contract';
import { defaultWireProfile } from '@berth/spec/wire-profile';
import { expect, test } from 'vitest';

const APP = 'https://app.example.com';

const FIXED =
  'Authorization, Content-Type, Last-Event-ID, Range, X-Svc-Authorization, X-Svc-SessionToken, X-Svc-TimeStamp';

test.each([
  ['what an SDK sends', 'content-type,x-sdk-version, Mcp-Id', 'x-sdk-version, Mcp-Id'],
  ['a name twice', 'traceparent,TraceParent', 'traceparent'],
  ['names that are not valid', 'x-a,,x b,x:c,x-é,x\r\ny,x-d', 'x-a, x-d'],
  ['as many names as fit', names(64), names(64)],
  ['more names than fit', names(65), ''],
  ['a longer list than fits', `x-a,${'b'.repeat(4096)}`, ''],
])('a page may send the headers that its preflight asks for: %s', (_, requested, added) => {
  for (const surface of ['gateway', 'storage', 'upload', 'link'] as const) {
    const cors = createCors(surface, defaultWireProfile);
    const headers = cors.preflight({ origin: APP, 'access-control-request-headers': requested });
    expect(headers['access-control-allow-headers']).toBe([FIXED, added].filter(Boolean).join(', '));
  }
});

function names(count: number): string {
  return Array.from({ length: count }, (_, index) => `x-${index}`).join(', ');
}

test.each([
  ['a list', [APP]],
  ['a function', (origin: string) => origin === APP],
])('origins of %s are named, with credentials, and others get nothing', (_, origins) => {
  const cors = createCors('gateway', defaultWireProfile, { origins, credentials: true });
  for (const headers of [cors.response(APP), cors.preflight({ origin: APP })]) {
    expect(headers).toMatchObject({
      'access-control-allow-origin': APP,
      'access-control-allow-credentials': 'true',
      vary: 'Origin',
    });
  }
  expect([cors.allows(APP), cors.allows('null')]).toEqual([true, false]);
  for (const origin of [undefined, 'null', `${APP}.evil.example`, 'http://app.example.com']) {
    for (const headers of [cors.response(origin), cors.preflight({ origin })]) {
      expect(headers).not.toHaveProperty('access-control-allow-origin');
      expect(headers).not.toHaveProperty('access-control-allow-credentials');
      expect(headers).toHaveProperty('vary', 'Origin');
    }
  }
});

test.each([
  `${APP}/`,
  'app.example.com',
  '*',
  'null',
  `${APP}:443`,
  'HTTPS://app.example.com',
  'https://me@app.example.com',
  'capacitor://',
  'ionic:localhost',
])('the origin %s is rejected', (origin) => {
  expect(() => createCors('gateway', defaultWireProfile, { origins: [origin] })).toThrow(origin);
});

test('a function that returns a promise allows no origin', () => {
  const origins = (async () => false) as unknown as () => boolean;
  const cors = createCors('gateway', defaultWireProfile, { origins });
  expect(cors.response(APP)).not.toHaveProperty('access-control-allow-origin');
});

// The WebViews of mobile apps, and browser extensions.
test.each(['capacitor://localhost', 'ionic://localhost', 'chrome-extension://abc'])(
  'the origin %s is allowed if it is listed',
  (origin) => {
    const cors = createCors('gateway', defaultWireProfile, { origins: [origin] });
    expect(cors.response(origin)).toHaveProperty('access-control-allow-origin', origin);
  },
);
