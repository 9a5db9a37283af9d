import type { Context } from '../context.ts';
import { toFileID } from '../files/file-id.ts';

/** The file that the examples upload, link to, copy and delete. */
const KEY = 'hello.txt';
const COPY = 'copy-of-hello.txt';

/** What the calls prove themselves with, as it stands in a shell. */
export interface CurlCredentials {
  readonly bearer: string;
  readonly storageAuthorization: string;
  /** May run a command. */
  readonly storageTimestamp: string;
}

const ANY: CurlCredentials = {
  bearer: 'any',
  storageAuthorization: '1.0 any',
  storageTimestamp: '"$(date +%s)"',
};

/**
 * A `curl` for each operation, by operationId. Run in order by a POSIX shell, all of them succeed: the
 * upload carries a grant for `hello.txt` that was made at start and does not expire.
 */
export function listCurls(
  { url, options, profile, sessions }: Context,
  { bearer, storageAuthorization, storageTimestamp }: CurlCredentials = ANY,
): [string, string][] {
  const { env } = options;
  const service = `${url}/v1/cloudrun/hello`;
  const grant = sessions.get('').grants.issue(KEY, Number.POSITIVE_INFINITY);
  const authorization = `-H 'Authorization: Bearer ${bearer}'`;
  const curl = (address: string, args: string[]) => toCurl(address, options.tls, args);
  const { securityToken, metaFileId } = profile.uploadFields;
  const storage = (operation: string, body: object): [string, string] => [
    operation,
    curl(`${url}/api/v2/envs/${env}/storages:${operation}`, [
      `-H ${quote(`${profile.storageHeaders.authorization}: ${storageAuthorization}`)}`,
      `-H ${quote(`${profile.storageHeaders.timestamp}: `)}${storageTimestamp}`,
      ...jsonBody(body),
    ]),
  ];
  return [
    ['cloudrun-get-root', curl(service, [authorization])],
    ['cloudrun-post-root', curl(service, [authorization, ...jsonBody({ name: 'Ada' })])],
    ['cloudrun-get', curl(`${service}/a/b?x=1`, [authorization])],
    ['cloudrun-post', curl(`${service}/a/b?x=1`, [authorization, ...jsonBody({ name: 'Ada' })])],
    storage('getUploadMetaData', { path: KEY }),
    [
      'uploadFile',
      curl(`${url}/`, [
        `-F 'Signature=${grant.authorization}'`,
        `-F ${quote(`${securityToken}=${grant.token}`)}`,
        `-F ${quote(`${metaFileId}=${grant.storeFileID}`)}`,
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

function jsonBody(body: object): string[] {
  return ["-H 'Content-Type: application/json'", `-d '${JSON.stringify(body)}'`];
}

function toCurl(url: string, tls: boolean, options: string[]): string {
  // Nobody but the mock has signed its certificate.
  return [`curl ${tls ? '-k ' : ''}-sS -w '\\n' '${url}'`, ...options].join(' \\\n  ');
}

/** A header name may hold quotes, backquotes and `$` (RFC 9110, section 5.6.2), which a shell would read. */
function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
