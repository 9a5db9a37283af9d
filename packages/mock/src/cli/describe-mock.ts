import { defaultWireProfile } from '@berth/server-stubs';
import { toFileID } from '@berth/server-stubs/engine';
import type { Context } from '../context.ts';
import { documents } from '../contract/contract.ts';
import { BUCKET } from '../files/file-store.ts';
import type { Served } from '../serve.ts';
import { KEY_PAIR } from '../surfaces/auth/credentials.ts';

/**
 * Returns the text that the CLI prints at startup, with the URLs, the credentials and `curl` commands.
 *
 * @param options `examples` adds a command for each operation
 */
export async function describeMock(
  served: Served,
  { examples = false }: { examples?: boolean } = {},
): Promise<string> {
  const { url, context } = served;
  if (context.options.document !== undefined) return describeDocument(served);
  const { gateway, storage } = documents;
  const { auth, env } = context.options;
  const credentials = auth === 'strict' ? await makeCredentials(env) : undefined;
  const bearer = `-H 'Authorization: Bearer ${credentials?.bearer ?? 'any'}'`;
  const documented = await listDocumentCurls(context, bearer);
  const standard = await listCurls(context, credentials);
  const starters = standard.filter(([operation]) => STARTERS.includes(operation));
  const calls = examples
    ? [...standard, ...documented]
    : [...documented, ...starters].slice(0, STARTERS.length);
  const curls = calls.map(([operation, curl]) => `# ${operation}\n${curl}`);
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
    ...describeRemembered(context),
    ...(strict ?? []),
    '',
    `Paste these in order${strict ? ', within five minutes' : ''}${examples ? '' : '; --examples prints more'}:`,
    '',
    curls.join('\n\n'),
  ].join('\n');
}

/** The calls to print without `--examples`, if there are no documents of hosted services. */
const STARTERS = ['cloudrun-get-root', 'cloudrun-post', 'getUploadMetaData'];

async function describeDocument({ url, context }: Served): Promise<string> {
  const { services, options } = context;
  const [name = ''] = services.names();
  const curls = (await listDocumentCurls(context)).map(([text, curl]) => `# ${text}\n${curl}`);
  return [
    `Mock of ${options.document}`,
    '',
    `Operations     ${url}`,
    ...(services.find(name)?.routes ?? []).map(({ text }) => `  ${text}`),
    `Log and files  ${url}/__mock`,
    ...describeRemembered(context),
    '',
    'Paste these in order:',
    '',
    curls.join('\n\n'),
  ].join('\n');
}

function describeRemembered({ services, options }: Context): string[] {
  return services.names().flatMap((name) => {
    const remembered = services.find(name)?.remembers?.join(', ') ?? '';
    const prefix = options.document === undefined ? `${name}: ` : '';
    return remembered === '' ? [] : [`Remembers      ${prefix}${remembered}`];
  });
}

const MOST_SAMPLES = 3;

/** Chooses valid calls to print: one that creates an item, one that lists or reads items, and another. */
async function listDocumentCurls(context: Context, ...args: string[]): Promise<[string, string][]> {
  const { url, options, services } = context;
  const found: [string, string][] = [];
  for (const name of services.names()) {
    const base = options.document === undefined ? `${url}/v1/cloudrun/${name}` : url;
    const samples = services.find(name)?.routes.filter(({ sample }) => sample) ?? [];
    const [post, get] = ['POST', 'GET'].map((method) =>
      samples.find((one) => one.method === method),
    );
    for (const route of [...new Set([post, get, ...samples])].slice(0, MOST_SAMPLES)) {
      if (route?.sample === undefined) continue;
      const { target, type, body } = await route.sample();
      found.push([
        options.document === undefined ? `${name}: ${route.text}` : route.text,
        toCurl(`${base}${target.replaceAll("'", '%27')}`, options.tls, [
          ...(['GET', 'POST'].includes(route.method) && (body || route.method === 'GET')
            ? []
            : [`-X ${route.method}`]),
          ...args,
          ...(type === undefined ? [] : [`-H ${quote(`Content-Type: ${type}`)}`]),
          ...(body ? [`-d ${quote(body)}`] : []),
        ]),
      ]);
    }
  }
  return found;
}

/** The file that the example commands upload, link to, copy and delete. */
const KEY = 'hello.txt';

const COPY = 'copy-of-hello.txt';

const BUOY = { name: 'Buoy', price: 24 };

/** Credentials for the example calls, in shell syntax: the time is a command substitution. */
const ANY = {
  bearer: 'any',
  storageAuthorization: '1.0 any',
  storageTimestamp: '"$(date +%s)"',
};

/**
 * Returns one `curl` command per operation, by operationId. They all succeed when run in order by a POSIX
 * shell: the upload uses a grant for `hello.txt` that was issued at startup and does not expire.
 */
async function listCurls(
  { url, options, profile, sessions }: Context,
  { bearer, storageAuthorization, storageTimestamp } = ANY,
): Promise<[string, string][]> {
  const { env } = options;
  const service = `${url}/v1/cloudrun/hello`;
  const shop = `${url}/v1/cloudrun/shop`;
  const upload = { env, bucket: BUCKET, path: KEY, caller: 'mock' };
  const grant = await sessions.get('').storage.grants.issue(upload, Number.POSITIVE_INFINITY);
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
    ['cloudrun-get', curl(`${shop}/products`, [authorization])],
    ['cloudrun-post', curl(`${shop}/products`, [authorization, ...jsonBody(BUOY)])],
    ['cloudrun-get (it remembers)', curl(`${shop}/products/3`, [authorization])],
    ['cloudrun-get (events)', curl(`${shop}/prices`, [authorization])],
    [
      'cloudrun-post (bytes)',
      curl(`${shop}/photos`, [
        authorization,
        "-H 'Content-Type: application/octet-stream'",
        `--data-binary 'any bytes'`,
      ]),
    ],
    storage('getUploadMetaData', { path: KEY }),
    [
      'uploadFile',
      curl(`${url}/`, [
        `-F 'Signature=${grant.authorization}'`,
        `-F ${quote(`${securityToken}=${grant.token}`)}`,
        `-F ${quote(`${metaFileId}=${grant.storeFileID}`)}`,
        `-F 'key=${KEY}'`,
        `-F 'file=Hello from Berth.;filename=${KEY};type=text/plain'`,
        '-i', // The response has no body, so the command shows its headers.
      ]),
    ],
    storage('batchGetTempUrls', { fileList: [{ fileID: toFileID(env, BUCKET, KEY) }] }),
    storage('batchCopyFile', { fileList: [{ srcPath: `/${KEY}`, dstPath: `/${COPY}` }] }),
    storage('batchDelete', { fileList: [toFileID(env, BUCKET, COPY)] }),
  ];
}

function jsonBody(body: object): string[] {
  return ["-H 'Content-Type: application/json'", `-d '${JSON.stringify(body)}'`];
}

function toCurl(url: string, tls: boolean, options: string[]): string {
  // The certificate is self-signed.
  return [`curl ${tls ? '-k ' : ''}-sS -w '\\n' '${url}'`, ...options].join(' \\\n  ');
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
  const { signStorageRequest } = await import('@berth/server-stubs/engine/node');
  const seconds = Math.floor(Date.now() / 1000);
  const signed = signStorageRequest(KEY_PAIR, { timestamp: seconds });
  return {
    bearer: await mintToken(env),
    storageAuthorization: signed[defaultWireProfile.storageHeaders.authorization] ?? '',
    storageTimestamp: String(seconds),
  };
}
