import { defaultWireProfile } from '@berth/spec/wire-profile';
import { expect, test } from 'vitest';
import { createCors } from './cors.ts';

const APP = 'https://app.example.com';

test('every origin may read by default, without credentials', () => {
  const cors = createCors('storage', defaultWireProfile);
  expect(cors.response(APP)).toEqual({
    'access-control-allow-origin': '*',
    'access-control-expose-headers':
      'X-Request-Id, Retry-After, ETag, Content-Range, Content-Disposition, Date, X-Svc-Upstream-Status-Code',
  });
  expect(cors.preflight({ origin: APP })).toEqual({
    'access-control-allow-origin': '*',
    'access-control-allow-methods': 'POST, OPTIONS',
    'access-control-allow-headers':
      'Authorization, Content-Type, Last-Event-ID, Range, X-Svc-Authorization, X-Svc-SessionToken, X-Svc-TimeStamp',
    'access-control-max-age': '600',
  });
});

const FIXED =
  'Authorization, Content-Type, Last-Event-ID, Range, X-Svc-Authorization, X-Svc-SessionToken, X-Svc-TimeStamp';

test.each([
  [
    'what an SDK sends',
    'content-type,x-sdk-version, Mcp-Session-Id',
    'x-sdk-version, Mcp-Session-Id',
  ],
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

test('a listed origin is named, with credentials if they are enabled', () => {
  const cors = createCors('gateway', defaultWireProfile, { origins: [APP], credentials: true });
  expect(cors.response(APP)).toMatchObject({
    'access-control-allow-origin': APP,
    'access-control-allow-credentials': 'true',
    vary: 'Origin',
  });
});

test.each([undefined, 'null', 'https://app.example.com.evil.example', 'http://app.example.com'])(
  'an origin that is not listed gets nothing: %s',
  (origin) => {
    const cors = createCors('gateway', defaultWireProfile, { origins: [APP], credentials: true });
    for (const headers of [cors.response(origin), cors.preflight({ origin })]) {
      expect(headers).not.toHaveProperty('access-control-allow-origin');
      expect(headers).not.toHaveProperty('access-control-allow-credentials');
      expect(headers).toHaveProperty('vary', 'Origin');
    }
  },
);

test('a function decides which origins are allowed', () => {
  const cors = createCors('gateway', defaultWireProfile, { origins: (origin) => origin === APP });
  expect(cors.response(APP)).toMatchObject({ 'access-control-allow-origin': APP, vary: 'Origin' });
  expect(cors.preflight({ origin: APP })).toHaveProperty('access-control-allow-origin', APP);
  expect([cors.allows(APP), cors.allows('null')]).toEqual([true, false]);
  for (const origin of [undefined, 'null', 'http://app.example.com']) {
    expect(cors.response(origin)).not.toHaveProperty('access-control-allow-origin');
    expect(cors.response(origin)).toHaveProperty('vary', 'Origin');
  }
});

test('credentials for every site are refused at creation', () => {
  expect(() => createCors('gateway', defaultWireProfile, { credentials: true })).toThrow(TypeError);
});

test.each(['https://app.example.com/', 'app.example.com', '*', 'null'])(
  'an invalid origin is refused at creation: %s',
  (origin) => {
    expect(() => createCors('gateway', defaultWireProfile, { origins: [origin] })).toThrow(origin);
  },
);
