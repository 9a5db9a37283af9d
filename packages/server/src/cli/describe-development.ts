import { contract, defaultWireProfile } from '@berth/server-stubs';
import { DEVELOPMENT_ENV } from './development-keys.ts';

const FILE = 'hello.txt';
const COPY = 'copy-of-hello.txt';
const { uploadFields, storeFileID } = defaultWireProfile;

export interface DevelopmentFacts {
  readonly url: string;
  readonly adminUrl: string;
  readonly data: string;
  readonly token: string;
  readonly keyPair: { readonly id: string; readonly secret: string };
}

export function describeDevelopment(facts: DevelopmentFacts): string {
  const { url, adminUrl, data, keyPair, token } = facts;
  const { documents } = contract;
  return [
    '*** FOR DEVELOPMENT ONLY: the keys are printed here and stored in the data folder. ***',
    '*** For anything that others can reach, start the server with --config.            ***',
    '',
    `Berth server: gateway ${documents['gateway.v1'].version}, storage ${documents['storage.v2'].version}, environment ${DEVELOPMENT_ENV}`,
    '',
    `Gateway      ${url}/v1/cloudrun/hello`,
    `Storage API  ${url}/api/v2/envs/${DEVELOPMENT_ENV}`,
    `Admin        ${adminUrl}/healthz, /readyz, /metrics`,
    `Data         ${data}`,
    `Token        ${token}`,
    `Key pair     id ${keyPair.id}, secret ${keyPair.secret}`,
    '',
    'Paste these in order:',
    '',
    listCurls(facts),
    '',
  ].join('\n');
}

/**
 * Lines for a POSIX shell, to run in order: a call of each operation, with the upload and the download
 * in between.
 */
function listCurls({ url, token, keyPair }: DevelopmentFacts): string {
  const service = `${url}/v1/cloudrun/hello`;
  const bearer = `-H "Authorization: Bearer $token"`;
  const json = (body: string) => `-H 'Content-Type: application/json' -d ${body}`;
  const storage = (operation: string, body: string) =>
    [
      `echo "$signed" | curl -sS -H @- '${url}/api/v2/envs/${DEVELOPMENT_ENV}/storages:${operation}'`,
      `  -d ${body}`,
    ].join(' \\\n');
  const field = (name: string) => `"$(field ${name})"`;
  const settings = {
    ENV: DEVELOPMENT_ENV,
    STORAGE_URL: url,
    SECRET_ID: keyPair.id,
    SECRET_KEY: keyPair.secret,
  };
  return [
    `token=${token}`,
    '',
    '# a hosted service: JSON, text, events',
    `curl -sS -w '\\n' '${service}/a/b?x=1' ${bearer}`,
    `curl -sS -w '\\n' '${service}' ${bearer} ${json(`'{"name":"Ada"}'`)}`,
    `curl -sS -w '\\n' '${service}' ${bearer} -H 'Accept: text/plain'`,
    `curl -sSN '${service}' ${bearer} -H 'Accept: text/event-stream'`,
    '',
    "# files, with the client's command line",
    ...Object.entries(settings).map(([name, value]) => `export BERTH_${name}=${value}`),
    `echo 'Hello from Berth.' > ${FILE}`,
    `npx @berth/client cp ./${FILE} remote:/${FILE}`,
    `npx @berth/client cp remote:/${FILE} -`,
    '',
    '# files, with curl; a signature is valid for five minutes',
    'signed=$(npx @berth/client sign)',
    '',
    '# upload',
    `meta=$(${storage('getUploadMetaData', `'{"path":"${FILE}"}'`)})`,
    `field() { printf '%s' "$meta" | sed -n "s/.*\\"$1\\":\\"\\([^\\"]*\\)\\".*/\\1/p"; }`,
    [
      `curl -sS -w '%{http_code}\\n' ${field('url')}`,
      `  -F Signature=${field('authorization')} -F ${uploadFields.securityToken}=${field('token')}`,
      `  -F ${uploadFields.metaFileId}=${field(storeFileID)} -F key=${FILE}`,
      `  -F 'file=@${FILE};type=text/plain'`,
    ].join(' \\\n'),
    `id=${field('fileID')}`,
    '',
    '# download',
    `meta=$(${storage('batchGetTempUrls', `"{\\"fileList\\":[{\\"fileID\\":\\"$id\\"}]}"`)})`,
    `curl -sS -w '\\n' ${field('tempFileURL')}`,
    '',
    '# copy, and delete both',
    `${storage('batchCopyFile', `'{"fileList":[{"srcPath":"/${FILE}","dstPath":"/${COPY}"}]}'`)}; echo`,
    `${storage('batchDelete', `"{\\"fileList\\":[\\"$id\\",\\"\${id%${FILE}}${COPY}\\"]}"`)}; echo`,
  ].join('\n');
}
