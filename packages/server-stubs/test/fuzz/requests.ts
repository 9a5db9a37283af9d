import { createRandom, pick } from '../corpus/random.ts';

/** A request before it is written. All text is Latin-1, with one character per byte. */
interface Draft {
  method: string;
  target: string;
  headers: (readonly [string, string])[];
  body: string;
  /** How the body is framed. `none` leaves it to the headers. */
  framing: 'length' | 'chunked' | 'none';
  /** Number of bytes to cut off at the end. */
  cut: number;
}

export interface HostileRequest {
  /** Text of the request, as Latin-1. */
  readonly bytes: string;
  /** Whether the request is complete, so that the server must respond. */
  readonly isWhole: boolean;
}

/** Creates a hostile request, which is always the same for the same number and seed. */
export function hostileRequest(seed: number, index: number): HostileRequest {
  const random = createRandom(seed + Math.imul(index, 0x9e3779b1));
  const draft = toDraft(...(pick(GOOD, random) as (typeof GOOD)[number]));
  const below = (end: number) => Math.floor(random() * end);
  for (let count = 1 + below(4); count > 0; count -= 1) {
    const mutate = pick(MUTATIONS, random) as (typeof MUTATIONS)[number];
    mutate(draft, below, (list) => list[below(list.length)] as never);
  }
  const { framing, cut, headers, body } = draft;
  const isFramed = !headers.some(([name]) => FRAMING.has(name));
  return {
    bytes: toBytes(draft),
    isWhole: cut === 0 && isFramed && (framing !== 'none' || body === ''),
  };
}

const FRAMING = new Set(['Content-Length', 'Transfer-Encoding', 'Expect']);

function toBytes({ method, target, headers, body, framing, cut }: Draft): string {
  const framed = [...headers];
  if (framing === 'length' && (body !== '' || method === 'POST')) {
    framed.push(['Content-Length', String(body.length)]);
  }
  if (framing === 'chunked') framed.push(['Transfer-Encoding', 'chunked']);
  const head = framed.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  const text = `${method} ${target} HTTP/1.1\r\n${head}\r\n${framing === 'chunked' ? toChunks(body) : body}`;
  return cut === 0 ? text : text.slice(0, -cut);
}

function toChunks(body: string): string {
  const chunks = body.match(/.{1,700}/gs) ?? [];
  return `${chunks.map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`).join('')}0\r\n\r\n`;
}

/** Encodes text as UTF-8 bytes. */
const toLatin = (text: string) => Buffer.from(text).toString('latin1');

const STORAGE = '/api/v2/envs/dev/storages';
const ITEM = 'cloud://dev.files/reports/summary.txt';
const FORM = 'multipart/form-data; boundary=xx';

/** Requests that get a 200, which mutations start from: target, media type and body of a POST. */
const GOOD: readonly (readonly [target: string, type?: string, body?: unknown])[] = [
  [`${STORAGE}:batchDelete`, 'application/json', { fileList: [ITEM, ITEM] }],
  [`${STORAGE}:batchDelete`, 'application/json', { data: { fileList: [ITEM] } }],
  [`${STORAGE}:batchGetTempUrls`, 'application/json', { fileList: [{ fileID: ITEM, maxAge: 60 }] }],
  [`${STORAGE}:getUploadMetaData`, 'application/json', { path: 'reports/中.txt' }],
  [
    `${STORAGE}:batchCopyFile`,
    'application/json',
    { fileList: [{ srcPath: '/a', dstPath: '/b' }] },
  ],
  ['/v1/cloudrun/hello?a=1&b=2'],
  ['/v1/cloudrun/hello/a/b%2Fc//d?x=%E4%B8%AD'],
  ['/v1/cloudrun/hello/a', 'application/json', { any: ['thing', 1, null] }],
  ['/pets/12/.a.b/;m=1;m=2/x.y?limit=5&tags=a&tags=b&deep[a]=1&pipe=1|2&json=%7B%7D'],
  ['/everything', 'application/json', { name: 'a', tree: { tree: { tree: null } } }],
  ['/everything', 'application/x-www-form-urlencoded', 'a=1&b=2&b=%E4%B8%AD'],
  ['/everything', 'text/plain; charset=utf-8', 'text'],
  ['/everything', 'image/png', '\u0089PNG\0\u00ff'],
  ['/everything', FORM, toForm('field', 'file')],
  ['/', FORM, toForm('key', 'Signature', 'file')],
];

function toDraft(target: string, type?: string, body?: unknown): Draft {
  const credentials: Draft['headers'] = [
    ['Host', 'dev.example.com'],
    ['Connection', 'close'],
    ['X-Svc-Authorization', '1.0 TC3-HMAC-SHA256 Credential=a'],
    ['X-Svc-SessionToken', ''],
    ['X-Svc-TimeStamp', '1700000000'],
    ['Authorization', 'Bearer token'],
    ['X-Tags', 'a,b'],
    ['Cookie', 'theme=dark'],
  ];
  return {
    method: type === undefined ? 'GET' : 'POST',
    target,
    headers: type === undefined ? credentials : [...credentials, ['Content-Type', type]],
    body: typeof body === 'object' ? toLatin(JSON.stringify(body)) : String(body ?? ''),
    framing: 'length',
    cut: 0,
  };
}

function toForm(...names: readonly string[]): string {
  const parts = names.map((name) => {
    const filename = name === 'file' ? '; filename="f.txt"' : '';
    return `--xx\r\nContent-Disposition: form-data; name="${name}"${filename}\r\n\r\nvalue\r\n`;
  });
  return `${parts.join('')}--xx--\r\n`;
}

const METHODS = 'GET POST PUT HEAD OPTIONS DELETE PATCH TRACE QUERY get'.split(' ');
const SEGMENTS = [
  ...'.. . %2e%2e % %zz %c3%28 %ed%a0%80 %00 %2F \u00e4\u00b8\u00ad \u00ff'.split(' '),
  ...'__proto__ constructor : ; ;x= . {id} %F0%9F%98%80 + ~ #x'.split(' '),
  ...[' ', ''],
];
const QUERIES = [
  ...'__proto__[x]=1 constructor[prototype][x]=1 deep[__proto__]=1 deep[a][b][c]=1'.split(' '),
  ...'deep[]=1 deep[=1 limit=1&limit=2 limit=1e999 limit=-0 limit=% limit'.split(' '),
  ...'json=%7B json={"__proto__":1} json=[[[[[ tags=%c3%28 pipe=|||'.split(' '),
  ...'&&&& = %=% a=1?b=2 \u00ff=\u00fe'.split(' '),
];
const VALUES = [
  ...'% Bearer \u00ff\u00fe " -1 1e9 null , TC3-HMAC-SHA256 0 application/json 100-continue'.split(
    ' ',
  ),
  ...['', ' ', 'Bearer ', 'Basic Og==', 'a'.repeat(9000), 'a=b; c="', 'chunked, gzip', '99-stop'],
];
const NAMES = [
  ...'Content-Type Content-Length Content-Encoding Transfer-Encoding Expect Authorization'.split(
    ' ',
  ),
  ...'X-Svc-Authorization X-Svc-TimeStamp Cookie Host X-Tags Accept Origin Upgrade'.split(' '),
  ...'Access-Control-Request-Method Range __proto__ constructor Connection TE Trailer'.split(' '),
];
const TYPES = [
  ...'application/json application/json; application/x-www-form-urlencoded */* / ;;;'.split(' '),
  ...'multipart/form-data text/html application/problem+json'.split(' '),
  'application/json; charset=utf-16',
  'APPLICATION/JSON; charset="utf-8"',
  'multipart/form-data; boundary=',
  'multipart/form-data; boundary=yy',
  'text/plain; charset=klingon',
  'text/plain; charset=utf-16le',
  'multipart/mixed; boundary=xx',
];
const BODIES = [
  ...'{ [ " null 0 [] {} {"fileList":null} {"fileList":{}} {"fileList":[null]}'.split(' '),
  ...'{"fileList":[],"data":{"fileList":[]}} {"data":null} {"data":{"data":{}}}'.split(' '),
  ...'\u00ef\u00bb\u00bf{} {"__proto__":{"x":1}} {"constructor":{"prototype":{"x":1}}}'.split(' '),
  ...'{"\\u005f_proto__":{}} "\\ud800" {"a":1e999,"b":-0} \u00ff\u00fe \0'.split(' '),
  ...'{"fileList":[1e999]} {"maxAge":"\\u0000"} a=1&a=2&%=% --xx\r\n --xx--'.split(' '),
  ...['', ' ', '--xx\r\n\r\n--xx--'],
  '--xx\r\nContent-Disposition: form-data; name="a\r\n\r\nb\r\n--xx--',
];

type Below = (end: number) => number;
type Pick = <Value>(values: readonly Value[]) => Value;

const BUILT: readonly ((below: Below) => string)[] = [
  (below) => '['.repeat(below(20_000)),
  (below) => `${'{"tree":'.repeat(below(3000))}1`,
  (below) => nested(below(200)),
  (below) => JSON.stringify({ fileList: Array(below(300)).fill('cloud://dev.files/a') }),
  (below) => JSON.stringify({ fileList: ['x'.repeat(below(60_000))] }),
  (below) => toLatin(JSON.stringify({ path: '\u0000../中\ud83d\ude00'.repeat(below(50)) })),
  (below) => '--xx\r\nContent-Disposition: form-data; name="a"\r\n\r\nb\r\n'.repeat(below(300)),
  (below) => 'a=b&'.repeat(below(500)),
  (below) => String.fromCharCode(...Array.from({ length: below(500) }, () => below(256))),
];

function nested(levels: number): string {
  return `${'[{"a":'.repeat(levels)}0${'}]'.repeat(levels)}`;
}

const MUTATIONS: readonly ((draft: Draft, below: Below, from: Pick) => unknown)[] = [
  (draft, _, from) => Object.assign(draft, { method: from(METHODS) }),
  (draft, below, from) => {
    const segments = draft.target.split('/');
    segments[below(segments.length)] = from(SEGMENTS);
    draft.target = segments.join('/');
  },
  (draft, _, from) => {
    draft.target += `${draft.target.includes('?') ? '&' : '?'}${from(QUERIES)}`;
  },
  (draft, _, from) => {
    const long = [`/${'a/'.repeat(3000)}`, `?${'a=1&'.repeat(2500)}`];
    draft.target += from([...'/ // ? ?? # XYZ'.split(' '), ...long]);
  },
  (draft, _, from) => {
    const absolute = [`http://a${draft.target}`, `//a${draft.target}`, 'http://[::1'];
    draft.target = from(['*', '', 'x', '//', '/?', ...absolute]);
  },
  (draft, below) => {
    draft.headers = draft.headers.filter(() => below(10) < 7);
  },
  (draft, _, from) => draft.headers.push([from(NAMES), from(VALUES)]),
  (draft, _, from) => {
    draft.headers = draft.headers.filter(([name]) => name !== 'Content-Type');
    draft.headers.push(['Content-Type', from(TYPES)]);
  },
  (draft, below, from) => {
    const at = below(draft.headers.length);
    draft.headers = draft.headers.map(([name, value], index) => [
      name,
      index === at ? from(VALUES) : value,
    ]);
  },
  (draft, below) => {
    for (let count = below(300); count > 0; count -= 1)
      draft.headers.push([`X-${count}`, 'x'.repeat(below(80))]);
  },
  (draft, _, from) => {
    draft.body = from(BODIES);
    if (draft.method === 'GET') draft.method = 'POST';
  },
  (draft, below, from) => Object.assign(draft, { body: from(BUILT)(below) }),
  (draft, below) => {
    const at = below(draft.body.length + 1);
    const piece = String.fromCharCode(below(256));
    draft.body = draft.body.slice(0, at) + piece + draft.body.slice(at + below(3));
  },
  (draft, _, from) => Object.assign(draft, { framing: from(['chunked', 'none']) }),
  (draft, _, from) => {
    const lengths = '0 1 5 99999 -1 1e3 99999999999999999999 3,3 x'.split(' ');
    draft.framing = 'none';
    draft.headers.push(['Content-Length', from(lengths)]);
  },
  (draft, below) => Object.assign(draft, { cut: 1 + below(60) }),
];
