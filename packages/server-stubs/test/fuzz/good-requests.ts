import { type Draft, toLatin } from './draft.ts';

const STORAGE = '/api/v2/envs/dev/storages';
const ITEM = 'cloud://dev.files/reports/summary.txt';
const CREDENTIALS: [string, string][] = [
  ['Host', 'dev.example.com'],
  ['Connection', 'close'],
  ['X-Svc-Authorization', '1.0 TC3-HMAC-SHA256 Credential=a'],
  ['X-Svc-SessionToken', ''],
  ['X-Svc-TimeStamp', '1700000000'],
  ['Authorization', 'Bearer token'],
  ['X-Tags', 'a,b'],
  ['Cookie', 'theme=dark'],
];

/** Requests that get a 200, which mutations start from. */
export const goodRequests: readonly (() => Draft)[] = [
  post(`${STORAGE}:batchDelete`, { fileList: [ITEM, ITEM] }),
  post(`${STORAGE}:batchDelete`, { data: { fileList: [ITEM] } }),
  post(`${STORAGE}:batchGetTempUrls`, { fileList: [{ fileID: ITEM, maxAge: 60 }] }),
  post(`${STORAGE}:getUploadMetaData`, { path: 'reports/中.txt' }),
  post(`${STORAGE}:batchCopyFile`, {
    fileList: [{ srcPath: '/a', dstPath: '/b', overwrite: true, removeOriginal: false }],
  }),
  get('/v1/cloudrun/hello?a=1&b=2'),
  get('/v1/cloudrun/hello/a/b%2Fc//d?x=%E4%B8%AD'),
  post('/v1/cloudrun/hello/a', { any: ['thing', 1, null] }),
  get('/pets/12/.a.b/;m=1;m=2/x.y?limit=5&tags=a&tags=b&deep[a]=1&pipe=1|2&json=%7B%7D'),
  post('/everything', { name: 'a', tree: { tree: { tree: null } } }),
  draft('POST', '/everything', 'application/x-www-form-urlencoded', 'a=1&b=2&b=%E4%B8%AD'),
  draft('POST', '/everything', 'text/plain; charset=utf-8', 'text'),
  draft('POST', '/everything', 'image/png', '\u0089PNG\0\u00ff'),
  draft('POST', '/everything', 'multipart/form-data; boundary=xx', toForm('field', 'file')),
  draft('POST', '/', 'multipart/form-data; boundary=xx', toForm('key', 'Signature', 'file')),
];

function post(target: string, body: unknown): () => Draft {
  return draft('POST', target, 'application/json', toLatin(JSON.stringify(body)));
}

function get(target: string): () => Draft {
  return () => ({
    method: 'GET',
    target,
    headers: [...CREDENTIALS],
    body: '',
    framing: 'length',
    cut: 0,
  });
}

function draft(method: string, target: string, type: string, body: string): () => Draft {
  return () => ({
    method,
    target,
    headers: [...CREDENTIALS, ['Content-Type', type]],
    body,
    framing: 'length',
    cut: 0,
  });
}

function toForm(...names: readonly string[]): string {
  const parts = names.map((name) => {
    const filename = name === 'file' ? '; filename="f.txt"' : '';
    return `--xx\r\nContent-Disposition: form-data; name="${name}"${filename}\r\n\r\nvalue\r\n`;
  });
  return `${parts.join('')}--xx--\r\n`;
}
