import { defaultWireProfile } from '@berth/spec/wire-profile';
import { toFileID } from '@berth/storage';
import type { Context } from '../context.ts';
import type { Mock } from '../create-mock.ts';
import { joinLines, quote } from '../shell.ts';
import { BUCKET } from '../surface.ts';

export async function describeMock(
  mock: Mock,
  { options, api }: Context,
  wireProfilePath: string | undefined,
): Promise<string> {
  const { url } = mock;
  const { env } = options;
  const { title, routes } = api.current;
  const page = `Log and files  ${url}/__mock`;
  if (routes !== undefined) {
    const operations = routes.map(({ method, path }) => `  ${method} ${path}`);
    return [`Mock of ${title}`, '', url, ...operations, '', page].join('\n');
  }
  const lines = [
    `Mock of ${title}, environment ${env}`,
    '',
    `Gateway        ${url}/v1/cloudrun/<name>/<anyPath>`,
    `Storage API    ${url}/api/v2/envs/${env}`,
    `Upload target  ${url}/`,
    page,
    '',
  ];
  if (options.credentials === 'present') {
    const any = { token: 'dev', authorization: '1.0 any', timestamp: 1_700_000_000 };
    return [...lines, 'Paste these in order:', ...listExamples(url, options, any)].join('\n');
  }
  const { token, id, secret } = await mock.credentials();
  const { mintToken } = await import('../surfaces/strict-auth.ts');
  const { signStorageRequest } = await import('@berth/server-stubs/auth');
  const profile = wireProfilePath === undefined ? '' : ` --wire-profile ${quote(wireProfilePath)}`;
  const now = mock.session().clock.now();
  const timestamp = Math.floor(now.getTime() / 1000);
  const headers = signStorageRequest({ id, secret }, { timestamp });
  const authorization = headers[defaultWireProfile.storageHeaders.authorization] ?? '';
  return [
    ...lines,
    `Access token   ${token}`,
    `Key pair       BERTH_TC3_SECRET_ID=${id} BERTH_TC3_SECRET_KEY=${secret}`,
    '',
    'Check this mock with the conformance suite:',
    '',
    joinLines(
      'npx @berth/conformance',
      `--gateway-url ${mock.gatewayUrl} --storage-url ${mock.storageUrl} --env ${env}${profile}`,
      `--tc3-secret-id ${id} --tc3-secret-key ${secret}`,
      `--gateway-token ${token}`,
      `--other-env-token ${await mintToken(`not-${env}`, now)}`,
    ),
    '',
    'Paste these in order, within five minutes:',
    ...listExamples(url, options, { token, authorization, timestamp }),
  ].join('\n');
}

const KEY = 'hello.txt';

/** Returns commands for a POSIX shell that all succeed when they are pasted in order. */
function listExamples(
  url: string,
  { env, wireProfile }: Context['options'],
  { token, authorization, timestamp }: { token: string; authorization: string; timestamp: number },
): string[] {
  const { storageHeaders, uploadFields, storeFileID } = wireProfile;
  const storage = (operation: string, body: object) =>
    joinLines(
      `curl -sS '${url}/api/v2/envs/${env}/storages:${operation}'`,
      `-H '${storageHeaders.authorization}: ${authorization}'`,
      `-H '${storageHeaders.timestamp}: ${timestamp}'`,
      "-H 'Content-Type: application/json'",
      `-d '${JSON.stringify(body)}'`,
    );
  // `field grant token` prints the token of the grant.
  const field = `field() { printf %s "$1" | sed 's/.*"'"$2"'":"\\([^"]*\\)".*/\\1/'; }`;
  const form = (name: string, property: string) =>
    `--form-string '${name}='"$(field "$grant" ${property})"`;
  return [
    '',
    '# Call a service, which returns what it receives',
    joinLines(
      `curl -sS -w '\\n' '${url}/v1/cloudrun/echo/a/b?x=1'`,
      `-H 'Authorization: Bearer ${token}'`,
    ),
    '',
    '# Upload a file: get a grant, and send it with the file',
    field,
    `grant=$(${storage('getUploadMetaData', { path: KEY })})`,
    joinLines(
      `curl -sS -i "$(field "$grant" url)"`,
      form('Signature', 'authorization'),
      form(uploadFields.securityToken, 'token'),
      form(uploadFields.metaFileId, storeFileID),
      `--form-string 'key=${KEY}'`,
      `-F 'file=Hello from Berth.;filename=${KEY};type=text/plain'`,
    ),
    '',
    '# Get a link to the file, and download it',
    `links=$(${storage('batchGetTempUrls', { fileList: [{ fileID: toFileID(env, BUCKET, KEY) }] })})`,
    `curl -sS -w '\\n' "$(field "$links" tempFileURL)"`,
  ];
}
