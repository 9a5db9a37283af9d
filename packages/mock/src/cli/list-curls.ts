import type { Context } from '../context.ts';
import { toFileID } from '../files/file-id.ts';

/** The file that the examples upload, link to, copy and delete. */
const KEY = 'hello.txt';
const COPY = 'copy-of-hello.txt';

/**
 * A `curl` for each operation, by operationId. Run in order by a POSIX shell, all of them succeed: the
 * upload carries a grant for `hello.txt` that was made at start and does not expire.
 */
export function listCurls({ url, options, profile, sessions }: Context): [string, string][] {
  const { env } = options;
  const service = `${url}/v1/cloudrun/hello`;
  const { token, authorization, storeFileID } = sessions
    .get('')
    .grants.issue(KEY, Number.POSITIVE_INFINITY);
  const { securityToken, metaFileId } = profile.uploadFields;
  const storage = (operation: string, body: object): [string, string] => [
    operation,
    curl(`${url}/api/v2/envs/${env}/storages:${operation}`, [
      `-H ${quote(`${profile.storageHeaders.authorization}: 1.0 any`)}`,
      `-H ${quote(`${profile.storageHeaders.timestamp}: `)}"$(date +%s)"`,
      ...jsonBody(body),
    ]),
  ];
  return [
    ['cloudrun-get-root', curl(service, [BEARER])],
    ['cloudrun-post-root', curl(service, [BEARER, ...jsonBody({ name: 'Ada' })])],
    ['cloudrun-get', curl(`${service}/a/b?x=1`, [BEARER])],
    ['cloudrun-post', curl(`${service}/a/b?x=1`, [BEARER, ...jsonBody({ name: 'Ada' })])],
    storage('getUploadMetaData', { path: KEY }),
    [
      'uploadFile',
      curl(`${url}/`, [
        `-F 'Signature=${authorization}'`,
        `-F ${quote(`${securityToken}=${token}`)}`,
        `-F ${quote(`${metaFileId}=${storeFileID}`)}`,
        `-F 'key=${KEY}'`,
        `-F 'file=Hello from Berth.;filename=${KEY};type=text/plain'`,
        '-i', // The answer has no body; its headers are what there is to see.
      ]),
    ],
    storage('batchGetTempUrls', { fileList: [{ fileID: toFileID(env, KEY) }] }),
    storage('batchCopyFile', { fileList: [{ srcPath: `/${KEY}`, dstPath: `/${COPY}` }] }),
    storage('batchDelete', { fileList: [toFileID(env, COPY)] }),
  ];
}

const BEARER = "-H 'Authorization: Bearer any'";

function jsonBody(body: object): string[] {
  return ["-H 'Content-Type: application/json'", `-d '${JSON.stringify(body)}'`];
}

function curl(url: string, options: string[]): string {
  return [`curl -sS -w '\\n' '${url}'`, ...options].join(' \\\n  ');
}

/** A header name may hold quotes, backquotes and `$` (RFC 9110, section 5.6.2), which a shell would read. */
function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
