import { createHash } from 'node:crypto';
import { contract, defaultWireProfile } from '@berth/server-stubs';
import { tc3 } from '@berth/server-stubs/engine/node';
import defaults from '@berth/spec/defaults.json' with { type: 'json' };
import { DEVELOPMENT_ENV } from './development-keys.ts';

const { signature } = defaults;
const FILE = 'hello.txt';
const COPY = 'copy-of-hello.txt';
const { storageHeaders, uploadFields, storeFileID } = defaultWireProfile;

interface DevelopmentFacts extends CurlOptions {
  readonly adminUrl: string;
  /** Absolute path of the data folder. */
  readonly data: string;
}

/** Returns the text that a development server prints: its URLs, its keys, and calls to paste into a shell. */
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
    `Admin        ${adminUrl}/healthz, /readyz, /metrics, /gateway.v1/openapi.json and other documents`,
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

interface CurlOptions {
  readonly url: string;
  readonly token: string;
  readonly keyPair: { readonly id: string; readonly secret: string };
}

/**
 * Lines for a POSIX shell, to run in order: a call of each operation, with the upload and the download
 * in between.
 */
function listCurls({ url, token, keyPair }: CurlOptions): string {
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
    '# sign the storage calls; a signature is valid for five minutes',
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

/**
 * Lines for a POSIX shell with `openssl` that set the `auth` and `ts` variables: the headers of storage calls
 * (D17). A signature is valid for only five minutes, so it cannot be printed ready-made.
 */
function toSigningShell({ id, secret }: { id: string; secret: string }): string {
  const { algorithm, service, storageSigningHost, storageContentType } = signature;
  const { storageVersion, storageSignedHeaders } = signature;
  const canonical = tc3.toStorageCanonicalRequest(storageSigningHost, storageContentType);
  const hash = createHash('sha256').update(canonical).digest('hex');
  const key = Buffer.from(`TC3${secret}`).toString('hex');
  return [
    'ts=$(date +%s); day=$(date -u +%Y-%m-%d)',
    `hmac() { printf '%s' "$2" | openssl dgst -sha256 -mac HMAC -macopt "hexkey:$1" | sed 's/^.* //'; }`,
    `key=$(hmac "$(hmac "$(hmac ${key} "$day")" ${service})" tc3_request)`,
    `sig=$(hmac "$key" "$(printf '${algorithm}\\n%s\\n%s/${service}/tc3_request\\n${hash}' "$ts" "$day")")`,
    `auth="${storageVersion} ${algorithm} Credential=${id}/$day/${service}/tc3_request, SignedHeaders=${storageSignedHeaders}, Signature=$sig"`,
  ].join('\n');
}
