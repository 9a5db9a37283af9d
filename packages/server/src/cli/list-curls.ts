import { defaultWireProfile } from '@berth/server-stubs';
import { DEVELOPMENT_ENV } from '../development/development-config.ts';
import { toSigningShell } from './storage-shell.ts';

const FILE = 'hello.txt';
const COPY = 'copy-of-hello.txt';

const { storageHeaders, uploadFields, storeFileID } = defaultWireProfile;

export interface CurlOptions {
  readonly url: string;
  readonly token: string;
  readonly keyPair: { readonly id: string; readonly secret: string };
}

/**
 * Lines for a POSIX shell, to be run in order: a call of each operation, and the upload and download
 * between them.
 */
export function listCurls({ url, token, keyPair }: CurlOptions): string {
  const service = `${url}/v1/cloudrun/hello`;
  const bearer = `-H "Authorization: Bearer $token"`;
  const json = (body: string) => `-H 'Content-Type: application/json' -d ${body}`;
  const storage = (operation: string, body: string) =>
    [
      `curl -sS '${url}/api/v2/envs/${DEVELOPMENT_ENV}/storages:${operation}'`,
      `  -H "${storageHeaders.authorization}: $auth" -H "${storageHeaders.timestamp}: $ts"`,
      `  ${json(body)}`,
    ].join(' \\\n');
  const field = (name: string) => `"$(field ${name})"`;
  return [
    `token=${token}`,
    '',
    '# a hosted service: JSON, text, events',
    `curl -sS -w '\\n' '${service}/a/b?x=1' ${bearer}`,
    `curl -sS -w '\\n' '${service}' ${bearer} ${json(`'{"name":"Ada"}'`)}`,
    `curl -sS '${service}' ${bearer} -H 'Accept: text/plain'`,
    `curl -sSN '${service}' ${bearer} -H 'Accept: text/event-stream'`,
    '',
    '# signature of the storage calls, good for five minutes',
    toSigningShell(keyPair),
    '',
    '# upload a file',
    `meta=$(${storage('getUploadMetaData', `'{"path":"${FILE}"}'`)})`,
    `field() { printf '%s' "$meta" | sed -n "s/.*\\"$1\\":\\"\\([^\\"]*\\)\\".*/\\1/p"; }`,
    [
      `curl -sS -w '%{http_code}\\n' ${field('url')}`,
      `  -F Signature=${field('authorization')} -F ${uploadFields.securityToken}=${field('token')}`,
      `  -F ${uploadFields.metaFileId}=${field(storeFileID)} -F key=${FILE}`,
      `  -F 'file=Hello from Berth.;filename=${FILE};type=text/plain'`,
    ].join(' \\\n'),
    `id=${field('fileID')}`,
    '',
    '# download it',
    `meta=$(${storage('batchGetTempUrls', `"{\\"fileList\\":[{\\"fileID\\":\\"$id\\"}]}"`)})`,
    `curl -sS -w '\\n' ${field('tempFileURL')}`,
    '',
    '# copy it, and delete both',
    `${storage('batchCopyFile', `'{"fileList":[{"srcPath":"/${FILE}","dstPath":"/${COPY}"}]}'`)}; echo`,
    `${storage('batchDelete', `"{\\"fileList\\":[\\"$id\\",\\"\${id%${FILE}}${COPY}\\"]}"`)}; echo`,
  ].join('\n');
}
