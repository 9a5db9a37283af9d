import { type Draft, toLatin } from './draft.ts';
import type { Random } from './random.ts';

export type Mutation = (draft: Draft, random: Random) => void;

const METHODS = [
  'GET',
  'POST',
  'PUT',
  'HEAD',
  'OPTIONS',
  'DELETE',
  'PATCH',
  'TRACE',
  'QUERY',
  'get',
];
const SEGMENTS = [
  '..',
  '.',
  '%2e%2e',
  '%',
  '%zz',
  '%c3%28',
  '%ed%a0%80',
  '%00',
  '%2F',
  '\u00e4\u00b8\u00ad',
  '\u00ff',
  '__proto__',
  'constructor',
  ':',
  ';',
  ';x=',
  '.',
  '{id}',
  '%F0%9F%98%80',
  ' ',
  '+',
  '~',
  '#x',
  '',
];
const QUERIES = [
  '__proto__[x]=1',
  'constructor[prototype][x]=1',
  'deep[__proto__]=1',
  'deep[a][b][c]=1',
  'deep[]=1',
  'deep[=1',
  'limit=1&limit=2',
  'limit=1e999',
  'limit=-0',
  'limit=%',
  'json=%7B',
  'json={"__proto__":1}',
  'json=[[[[[',
  'tags=%c3%28',
  '&&&&',
  '=',
  '%=%',
  'a=1?b=2',
  '\u00ff=\u00fe',
  'pipe=|||',
  'limit',
];
const VALUES = [
  '',
  ' ',
  '%',
  'Bearer',
  'Bearer ',
  'Basic Og==',
  '\u00ff\u00fe',
  '"',
  'a'.repeat(9000),
  '-1',
  '1e9',
  'null',
  ',',
  'TC3-HMAC-SHA256',
  '0',
  'a=b; c="',
  'application/json',
  'chunked, gzip',
  '100-continue',
  '99-stop',
];
const NAMES = [
  'Content-Type',
  'Content-Length',
  'Content-Encoding',
  'Transfer-Encoding',
  'Expect',
  'Authorization',
  'X-Svc-Authorization',
  'X-Svc-TimeStamp',
  'Cookie',
  'Host',
  'X-Tags',
  'Accept',
  'Origin',
  'Upgrade',
  'Access-Control-Request-Method',
  'Range',
  '__proto__',
  'constructor',
  'Connection',
  'TE',
  'Trailer',
];
const TYPES = [
  'application/json',
  'application/json; charset=utf-16',
  'application/json;',
  'APPLICATION/JSON; charset="utf-8"',
  'application/x-www-form-urlencoded',
  'multipart/form-data',
  'multipart/form-data; boundary=',
  'multipart/form-data; boundary=yy',
  'text/plain; charset=klingon',
  'text/plain; charset=utf-16le',
  'text/html',
  '*/*',
  '/',
  ';;;',
  'application/problem+json',
  'multipart/mixed; boundary=xx',
];
const BODIES = [
  '',
  ' ',
  '{',
  '[',
  '"',
  'null',
  '0',
  '[]',
  '{}',
  '{"fileList":null}',
  '{"fileList":{}}',
  '{"fileList":[null]}',
  '{"fileList":[],"data":{"fileList":[]}}',
  '{"data":null}',
  '{"data":{"data":{}}}',
  '\u00ef\u00bb\u00bf{}',
  '{"__proto__":{"x":1}}',
  '{"constructor":{"prototype":{"x":1}}}',
  '{"\\u005f_proto__":{}}',
  '"\\ud800"',
  '{"a":1e999,"b":-0}',
  '\u00ff\u00fe',
  '\0',
  '{"fileList":[1e999]}',
  '{"maxAge":"\\u0000"}',
  'a=1&a=2&%=%',
  '--xx\r\n',
  '--xx--',
  '--xx\r\n\r\n--xx--',
  '--xx\r\nContent-Disposition: form-data; name="a\r\n\r\nb\r\n--xx--',
];
const BUILT: readonly ((random: Random) => string)[] = [
  (random) => '['.repeat(random.below(20_000)),
  (random) => `${'{"tree":'.repeat(random.below(3000))}1`,
  (random) => nested(random.below(200)),
  (random) => JSON.stringify({ fileList: Array(random.below(300)).fill('cloud://dev.files/a') }),
  (random) => JSON.stringify({ fileList: ['x'.repeat(random.below(60_000))] }),
  (random) => toLatin(JSON.stringify({ path: '\u0000../中\ud83d\ude00'.repeat(random.below(50)) })),
  (random) =>
    '--xx\r\nContent-Disposition: form-data; name="a"\r\n\r\nb\r\n'.repeat(random.below(300)),
  (random) => 'a=b&'.repeat(random.below(500)),
  (random) =>
    Array.from({ length: random.below(500) }, () => String.fromCharCode(random.below(256))).join(
      '',
    ),
];

export const mutations: readonly Mutation[] = [
  (draft, random) => {
    draft.method = random.pick(METHODS);
  },
  (draft, random) => {
    const segments = draft.target.split('/');
    segments[random.below(segments.length)] = random.pick(SEGMENTS);
    draft.target = segments.join('/');
  },
  (draft, random) => {
    draft.target += `${draft.target.includes('?') ? '&' : '?'}${random.pick(QUERIES)}`;
  },
  (draft, random) => {
    draft.target += random.pick([
      '/',
      '//',
      '?',
      '??',
      '#',
      `/${'a/'.repeat(3000)}`,
      `?${'a=1&'.repeat(2500)}`,
      'XYZ',
    ]);
  },
  (draft, random) => {
    draft.target = random.pick([
      '*',
      '',
      'x',
      '//',
      `http://a${draft.target}`,
      `//a${draft.target}`,
      'http://[::1',
      '/?',
    ]);
  },
  (draft, random) => {
    draft.headers = draft.headers.filter(() => random.chance(0.7));
  },
  (draft, random) => {
    draft.headers.push([random.pick(NAMES), random.pick(VALUES)]);
  },
  (draft, random) => {
    draft.headers = draft.headers.filter(([name]) => name !== 'Content-Type');
    draft.headers.push(['Content-Type', random.pick(TYPES)]);
  },
  (draft, random) => {
    const chosen = random.pick(draft.headers);
    if (chosen) chosen[1] = random.pick(VALUES);
    draft.headers = draft.headers.map((header) => [...header]);
  },
  (draft, random) => {
    for (let count = random.below(300); count > 0; count -= 1)
      draft.headers.push([`X-${count}`, 'x'.repeat(random.below(80))]);
  },
  (draft, random) => {
    draft.body = random.pick(BODIES);
    if (draft.method === 'GET') draft.method = 'POST';
  },
  (draft, random) => {
    draft.body = random.pick(BUILT)(random);
  },
  (draft, random) => {
    const at = random.below(draft.body.length + 1);
    draft.body =
      draft.body.slice(0, at) +
      String.fromCharCode(random.below(256)) +
      draft.body.slice(at + random.below(3));
  },
  (draft, random) => {
    draft.framing = random.pick(['chunked', 'none']);
  },
  (draft, random) => {
    draft.framing = 'none';
    draft.headers.push([
      'Content-Length',
      random.pick(['0', '1', '5', '99999', '-1', '1e3', '99999999999999999999', '3, 3', 'x']),
    ]);
  },
  (draft, random) => {
    draft.cut = 1 + random.below(60);
  },
];

function nested(levels: number): string {
  return `${'[{"a":'.repeat(levels)}0${'}]'.repeat(levels)}`;
}
