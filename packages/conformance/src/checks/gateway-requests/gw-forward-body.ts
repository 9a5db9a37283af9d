import { createHash } from 'node:crypto';
import { defineCheck } from '../check.ts';
import { callEcho } from '../support/call-echo.ts';

const TYPES = ['application/json', 'application/json; charset=utf-8'];
/** JSON objects, written so that every parser and writer in between would change their bytes. */
const BODIES = [
  '{}',
  ' {\r\n\t"b" : 1.0,\n  "a":1e2, "a": 2 }\n',
  '{"unicode":"\\u0041\\/\\ud83d\\ude42 中文 é 🙂","":null}',
  '{"big":12345678901234567890123,"small":-0.0,"deep":[[[[{"a":[]}]]]]}',
  '{"data":{"code":"OK"},"fileList":[],"__proto__":{"a":1},"constructor":1}',
  `{"many":[${Array.from({ length: 500 }, (_, index) => `{"i":${index}}`)}]}`,
  `{"long":"${'0123456789abcdef'.repeat(4000)}"}`,
  `{"longer":"${'中'.repeat(25_000)}"}`,
];

const CHUNKED = { 'Content-Type': 'application/json', 'Transfer-Encoding': 'chunked' };

export const gwForwardBody = defineCheck('GW-FORWARD-BODY', ['fixture'], async (t) => {
  for (const path of ['', '/a/b?c=d']) {
    for (const [index, body] of BODIES.entries()) {
      const type = TYPES[index % TYPES.length] ?? '';
      const what = `POST "${path}" ${body.slice(0, 40)}`;
      const headers = { 'Content-Type': type };
      const came = await callEcho(t, { path, headers, body }, what);
      if (!came) continue;
      const { size, sha256 } = came.echo.body;
      const bytes = Buffer.byteLength(body);
      t.expect(size === bytes, `${what}: the service must get ${bytes} bytes, not ${size}`);
      const wanted = createHash('sha256').update(body).digest('hex');
      t.expect(sha256 === wanted, `${what}: the service must get the bytes as they were sent`);
    }
  }
  // A gateway may refuse a body of unknown length (RFC 9110, section 15.5.12), but not lose it.
  const body = BODIES[1] ?? '';
  const exchange = await t.gateway.call({ path: '/a', headers: CHUNKED, body });
  const echo = t.fixture.readEcho(exchange);
  const wanted = createHash('sha256').update(body).digest('hex');
  const isKept = echo === undefined || echo.body.sha256 === wanted;
  t.expect(isKept, `POST in chunks: the service must get the bytes, not ${echo?.body.size}`);
});
