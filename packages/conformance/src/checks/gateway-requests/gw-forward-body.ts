import { createHash } from 'node:crypto';
import type { GatewayCall } from '../../trial/gateway-tool.ts';
import type { Trial } from '../../trial/trial.ts';
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

/** Those that are sent in chunks too, and where the chunks end: one of the second ends within a character. */
const CHUNKED = BODIES.slice(1, 3).map((body) => Buffer.from(body));
const ENDS = [1, 17, 34];
const LENGTH_REQUIRED = 411;
const TOO_LARGE = 413;
/** The contract names no limit of a body; one of fewer bytes than this is refused by no gateway, in bytes. */
const LARGE = 32_768;

export const gwForwardBody = defineCheck('GW-FORWARD-BODY', ['fixture'], async (t) => {
  const paths = ['', '/a/b?c=d'];
  for (const path of paths) {
    for (const [index, body] of BODIES.entries()) {
      const headers = { 'Content-Type': TYPES[index % TYPES.length] };
      await expectBody(t, { path, headers, body }, Buffer.from(body));
    }
  }
  const headers = { 'Content-Type': 'application/json' };
  const { received } = await t.gateway.call({ path: '/a', headers, chunks: toChunks(CHUNKED[0]) });
  if (received.status === LENGTH_REQUIRED) {
    t.note(
      'The gateway refuses bodies in chunks with 411, as HTTP allows (RFC 9112, section 6.3).',
    );
    return;
  }
  for (const path of paths) {
    for (const body of CHUNKED)
      await expectBody(t, { path, headers, chunks: toChunks(body) }, body);
  }
});

function toChunks(body = Buffer.alloc(0)): Buffer[] {
  return [0, ...ENDS].map((start, index) => body.subarray(start, ENDS[index]));
}

async function expectBody(t: Trial, call: GatewayCall, body: Buffer): Promise<void> {
  const how = call.chunks ? ' in chunks' : '';
  const what = `POST "${call.path}"${how} ${JSON.stringify(body.toString().slice(0, 40))}`;
  const came = await callEcho(t, call, what, body.length > LARGE ? TOO_LARGE : undefined);
  if (!came) return;
  const { size, sha256 } = came.echo.body;
  t.expect(size === body.length, `${what}: the service must get ${body.length} bytes, not ${size}`);
  if (size !== body.length) return;
  const wanted = createHash('sha256').update(body).digest('hex');
  t.expect(sha256 === wanted, `${what}: the service must get the bytes as they were sent`);
}
