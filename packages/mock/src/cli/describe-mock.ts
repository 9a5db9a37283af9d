import { defaultWireProfile } from '@berth/spec/wire-profile';
import { toFileID } from '@berth/storage';
import type { Context } from '../context.ts';
import { documents } from '../contract/contract.ts';
import { BUCKET } from '../contract/surface.ts';
import type { Served } from '../serve.ts';
import { KEY_PAIR } from '../surfaces/auth/auth.ts';

/** Returns the text that the CLI prints at startup, with the URLs, the credentials and `curl` commands. */
export async function describeMock({ url, context }: Served): Promise<string> {
  const { auth, env, document } = context.options;
  if (document !== undefined) return describeDocument(url, context);
  const { gateway, storage } = documents;
  const credentials = auth === 'strict' ? await makeCredentials(env) : undefined;
  const strict = credentials && [
    '',
    `Access token   ${credentials.bearer}`,
    `Key pair       ${KEY_PAIR.id} ${KEY_PAIR.secret}`,
  ];
  return [
    `Mock of the ${gateway.info.title} ${gateway.info.version} and the ${storage.info.title} ${storage.info.version}, environment ${env}`,
    '',
    `Gateway        ${url}/v1/cloudrun/<name>/<anyPath>`,
    `Storage API    ${url}/api/v2/envs/${env}`,
    `Upload target  ${url}/`,
    `Log and files  ${url}/__mock`,
    ...(strict ?? []),
    '',
    `Paste these in order${strict ? ', within five minutes' : ''}:`,
    '',
    toText(await listCurls(context, credentials)),
  ].join('\n');
}

function describeDocument(url: string, { services, options }: Context): string {
  const [name = ''] = services.names();
  const operations = services.find(name)?.document?.operations ?? [];
  return [
    `Mock of ${options.document}`,
    '',
    `Operations     ${url}`,
    ...operations.map((text) => `  ${text}`),
    `Log and files  ${url}/__mock`,
  ].join('\n');
}

/** @param curls commands, with what they do */
function toText(curls: readonly (readonly [string, string])[]): string {
  return curls.map(([title, command]) => `# ${title}\n${command}`).join('\n\n');
}

/** The file that the example commands upload and link to. */
const KEY = 'hello.txt';

/** Credentials for the example calls, in shell syntax: the time is a command substitution. */
const ANY = {
  bearer: 'any',
  storageAuthorization: '1.0 any',
  storageTimestamp: '"$(date +%s)"',
};

/**
 * Returns `curl` commands with what they do. They all succeed when run in order by a POSIX shell: the upload
 * uses a grant that was issued at startup and does not expire.
 */
async function listCurls(
  { url, options, profile, sessions }: Context,
  { bearer, storageAuthorization, storageTimestamp } = ANY,
): Promise<[string, string][]> {
  const { env } = options;
  const upload = { env, bucket: BUCKET, path: KEY, caller: 'mock' };
  const grant = await sessions.get('').storage.grants.issue(upload, Number.POSITIVE_INFINITY);
  const authorization = `-H 'Authorization: Bearer ${bearer}'`;
  const { securityToken, metaFileId } = profile.uploadFields;
  return [
    ['Call a hosted service', toCurl(`${url}/v1/cloudrun/hello`, [authorization])],
    [
      'Post to one that returns what it receives',
      toCurl(`${url}/v1/cloudrun/echo`, [authorization, ...jsonBody({ name: 'Ada' })]),
    ],
    [
      'Upload a file',
      toCurl(`${url}/`, [
        `-F 'Signature=${grant.authorization}'`,
        `-F ${quote(`${securityToken}=${grant.token}`)}`,
        `-F ${quote(`${metaFileId}=${grant.storeFileID}`)}`,
        `-F 'key=${KEY}'`,
        `-F 'file=Hello from Berth.;filename=${KEY};type=text/plain'`,
        '-i', // The response has no body, so the command shows its headers.
      ]),
    ],
    [
      'Get a link to it',
      toCurl(`${url}/api/v2/envs/${env}/storages:batchGetTempUrls`, [
        `-H ${quote(`${profile.storageHeaders.authorization}: ${storageAuthorization}`)}`,
        `-H ${quote(`${profile.storageHeaders.timestamp}: `)}${storageTimestamp}`,
        ...jsonBody({ fileList: [{ fileID: toFileID(env, BUCKET, KEY) }] }),
      ]),
    ],
  ];
}

function jsonBody(body: object): string[] {
  return ["-H 'Content-Type: application/json'", `-d '${JSON.stringify(body)}'`];
}

function toCurl(url: string, options: string[]): string {
  return [`curl -sS -w '\\n' '${url}'`, ...options].join(' \\\n  ');
}

/**
 * Header names may contain single quotes, backticks and `$` (RFC 9110, section 5.6.2), which are special
 * characters in a shell.
 */
function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

async function makeCredentials(env: string): Promise<typeof ANY> {
  const { mintToken } = await import('../surfaces/auth/strict-auth.ts');
  const { signStorageRequest } = await import('@berth/server-stubs/auth');
  const seconds = Math.floor(Date.now() / 1000);
  const signed = signStorageRequest(KEY_PAIR, { timestamp: seconds });
  return {
    bearer: await mintToken(env),
    storageAuthorization: signed[defaultWireProfile.storageHeaders.authorization] ?? '',
    storageTimestamp: String(seconds),
  };
}
