import type { HeaderList } from '../../http/header-list.ts';
import { defineSignatureCheck } from './define-signature-check.ts';
import { JSON_TYPE } from './sign-call.ts';

const ONE = ['X-Conformance-One', 'one'] as const;
const TWO = ['X-Conformance-Two', 'two words, and a comma'] as const;

export const auTc3SignedHeaders = defineSignatureCheck('AU-TC3-SIGNED-HEADERS', (t, mark) => {
  const host = ['Host', t.gateway.host] as const;
  const body = '{"a":1}';
  const path = '/headers';
  const bad = `${path}?mark=${mark}`;
  const many: HeaderList = Array.from({ length: 20 }, (_, index) => [
    `X-Conformance-${index}`,
    `value ${index}`,
  ]);
  const changed: HeaderList = [['X-Conformance-One', 'two']];
  return {
    good: {
      'GET that signs host alone': { path, headers: [ONE], signed: [host] },
      'GET that signs another header': { path, headers: [ONE] },
      'GET that signs one header of two': { path, headers: [ONE, TWO], signed: [host, TWO] },
      'GET that signs 20 headers': { path, headers: [JSON_TYPE, ...many] },
      'POST that signs host alone': { path, headers: [JSON_TYPE], body, signed: [host] },
      'POST that signs content-type and host': { path, headers: [JSON_TYPE], body },
      'POST that signs every header': { path, headers: [JSON_TYPE, ONE, TWO], body },
    },
    bad: {
      'GET with a signed header changed': { path: bad, headers: changed, signed: [host, ONE] },
      'GET without a header that was signed': { path: bad, signed: [host, ONE] },
      'GET with a signed header twice': {
        path: bad,
        headers: [ONE, ...changed],
        signed: [host, ONE],
      },
      'POST with a signed header changed': {
        ...{ path: bad, headers: [JSON_TYPE, ...changed], body },
        signed: [host, JSON_TYPE, ONE],
      },
      'POST with its signed content type changed': {
        ...{ path: bad, headers: [['Content-Type', 'application/json']], body },
        signed: [host, JSON_TYPE],
      },
      'GET signed for another host': { path: bad, signed: [['Host', `x${t.gateway.host}`]] },
      'GET with a header that is listed but was not signed': {
        ...{ path: bad, headers: [ONE], signed: [host] },
        change: (parts) => ({ ...parts, SignedHeaders: 'host;x-conformance-one' }),
      },
    },
  };
});
