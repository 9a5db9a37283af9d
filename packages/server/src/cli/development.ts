import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { signStorageRequest } from '@berth/server-stubs/auth';
import { CONTRACT } from '@berth/server-stubs/contract';
import { defaultWireProfile } from '@berth/spec/wire-profile';
import { toFileID } from '@berth/storage';
import {
  calculateJwkThumbprint,
  exportJWK,
  generateKeyPair,
  importJWK,
  type JWK,
  SignJWT,
} from 'jose';
import { findKeyProblem } from '../config/key-set.ts';
import type { ConfigInput } from '../config/schema.ts';
import { makeFolder } from '../store/disk/file-system.ts';
import { Failure } from './failure.ts';

const ENV = 'dev';

/** The token and the signatures that a development server prints are valid for a day. */
const VALID_SECONDS = 86_400;

const KEYS_FILE = 'development-keys.json';

type DevelopmentKeys = Awaited<ReturnType<typeof createKeys>>;

/** Reads the development keys in a data folder, if it has any. With them, tokens and links survive a restart. */
export async function readDevelopmentKeys(data: string): Promise<DevelopmentKeys | undefined> {
  const file = join(data, KEYS_FILE);
  try {
    const keys = JSON.parse(await readFile(file, 'utf8'));
    const { tokenKey, jwks, linkKey, keyPair } = keys ?? {};
    const isComplete = tokenKey?.d && linkKey && keyPair?.id && keyPair.secret;
    if (isComplete && findKeyProblem(jwks) === undefined) return keys;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    if (!(error instanceof SyntaxError)) throw error;
  }
  const fix = 'remove it, and the server will create new ones.';
  throw new Failure(`${file} does not contain the keys of a development server: ${fix}`);
}

/** Reads the development keys in a data folder, or creates them. Only the owner may read the file. */
export async function openDevelopmentKeys(data: string): Promise<DevelopmentKeys> {
  await makeFolder(data);
  const known = await readDevelopmentKeys(data);
  if (known !== undefined) return known;
  const keys = await createKeys();
  const text = `${JSON.stringify(keys, null, 2)}\n`;
  await writeFile(join(data, KEYS_FILE), text, { mode: 0o600, flag: 'wx' });
  return keys;
}

async function createKeys() {
  const id = `dev-${randomBytes(8).toString('hex')}`;
  return {
    ...(await createTokenKeys()),
    linkKey: randomBytes(32).toString('base64url'),
    keyPair: { id, secret: randomBytes(24).toString('base64url') },
  };
}

const ALGORITHM = 'ES256';

export async function createTokenKeys() {
  const { privateKey, publicKey } = await generateKeyPair(ALGORITHM, { extractable: true });
  const publicJwk = await exportJWK(publicKey);
  const metadata = { kid: await calculateJwkThumbprint(publicJwk), alg: ALGORITHM, use: 'sig' };
  const tokenKey: JWK = { ...(await exportJWK(privateKey)), ...metadata };
  return { tokenKey, jwks: { keys: [{ ...publicJwk, ...metadata }] } };
}

export interface TokenRequest {
  readonly key: JWK;
  readonly subject: string;
  readonly seconds: number;
}

/** Mints an access token (D19) for the environment `dev`. In production, an identity provider issues tokens. */
export async function mintToken({ key, subject, seconds }: TokenRequest): Promise<string> {
  const time = Math.floor(Date.now() / 1000);
  return new SignJWT()
    .setProtectedHeader({ alg: ALGORITHM, typ: 'JWT', ...(key.kid && { kid: key.kid }) })
    .setAudience(ENV)
    .setSubject(subject)
    .setIssuedAt(time)
    .setExpirationTime(time + seconds)
    .sign(await importJWK(key, ALGORITHM));
}

export function toDevelopmentConfig(
  port: number,
  data: string,
  { jwks, linkKey, keyPair }: DevelopmentKeys,
  hello: string,
): ConfigInput {
  return {
    listen: { port },
    admin: false,
    log: { calls: true },
    limits: { clockWindowSeconds: VALID_SECONDS },
    store: { driver: 'file', root: join(data, 'files') },
    keys: [{ secret: linkKey }],
    environments: {
      [ENV]: {
        tokens: { jwks },
        credentials: [keyPair],
        services: { hello: { endpoints: [hello] } },
      },
    },
  };
}

/** Returns what a development server prints when it is ready: addresses, credentials and commands to paste. */
export async function describeDevelopment(
  url: string,
  data: string,
  { tokenKey, keyPair }: DevelopmentKeys,
): Promise<string> {
  const token = await mintToken({ key: tokenKey, subject: 'developer', seconds: VALID_SECONDS });
  const { documents } = CONTRACT;
  return [
    `Reference server of the Gateway API ${documents['gateway.v1'].version} and the Storage API ${documents['storage.v2'].version}, environment ${ENV}`,
    'For development only, since it prints its keys: use --config for anything that others can reach.',
    '',
    `Gateway        ${url}/v1/cloudrun/hello`,
    `Storage API    ${url}/api/v2/envs/${ENV}`,
    `Files          ${data}`,
    `Access token   ${token}`,
    `Key pair       BERTH_TC3_SECRET_ID=${keyPair.id} BERTH_TC3_SECRET_KEY=${keyPair.secret}`,
    '',
    'Paste these in order, within a day:',
    ...listExamples(url, token, keyPair),
    '',
    'ready',
    '',
  ].join('\n');
}

const FILE = 'hello.txt';

/** Returns commands for a POSIX shell that all succeed when they are pasted in order. */
function listExamples(url: string, token: string, keyPair: DevelopmentKeys['keyPair']): string[] {
  const { uploadFields, storeFileID } = defaultWireProfile;
  const signed = signStorageRequest(keyPair, { timestamp: Math.floor(Date.now() / 1000) });
  const headers = Object.entries(signed).filter(([, value]) => value !== '');
  const storage = (operation: string, body: object) =>
    toCommand(
      `curl -sS '${url}/api/v2/envs/${ENV}/storages:${operation}'`,
      ...headers.map(([name, value]) => `-H '${name}: ${value}'`),
      "-H 'Content-Type: application/json'",
      `-d '${JSON.stringify(body)}'`,
    );
  const form = (name: string, property: string) =>
    `--form-string '${name}='"$(field "$grant" ${property})"`;
  return [
    '',
    '# Call a service',
    toCommand(
      `curl -sS -w '\\n' '${url}/v1/cloudrun/hello/a/b?x=1'`,
      `-H 'Authorization: Bearer ${token}'`,
    ),
    '',
    '# Upload a file: get a grant, and send it with the file',
    `field() { printf %s "$1" | sed 's/.*"'"$2"'":"\\([^"]*\\)".*/\\1/'; }`,
    `grant=$(${storage('getUploadMetaData', { path: FILE })})`,
    toCommand(
      `curl -sS -i "$(field "$grant" url)"`,
      form('Signature', 'authorization'),
      form(uploadFields.securityToken, 'token'),
      form(uploadFields.metaFileId, storeFileID),
      `--form-string 'key=${FILE}'`,
      `-F 'file=Hello from Berth.;filename=${FILE};type=text/plain'`,
    ),
    '',
    '# Get a link to the file, and download it',
    `links=$(${storage('batchGetTempUrls', { fileList: [{ fileID: toFileID(ENV, 'files', FILE) }] })})`,
    `curl -sS -w '\\n' "$(field "$links" tempFileURL)"`,
  ];
}

function toCommand(...parts: string[]): string {
  return parts.join(' \\\n  ');
}

/**
 * Converts a line of the JSON log to one for a terminal, or to an empty string if a developer need not see it.
 *
 * @example
 * '09:41:07 GET /v1/cloudrun/hello 401 2 ms MISSING_CREDENTIALS: …'
 */
export function toTerminalLine(json: string): string {
  const line = JSON.parse(json);
  const { level, time, msg, err, outcome, code, reason, cause } = line;
  const clock = new Date(time).toTimeString().slice(0, 8);
  // A caller must not control the terminal.
  const toLine = (text: string, controls: RegExp) => `${clock} ${text.replace(controls, '?')}\n`;
  if (outcome === undefined) {
    if (level === 'info') return '';
    const text = err === undefined ? msg : `${msg}: ${err.stack ?? err.message}`;
    return toLine(text, /[^\P{Cc}\n]/gu);
  }
  const details = [code, reason, cause].filter(Boolean).join(': ');
  const ending =
    { aborted: 'aborted', disconnected: 'caller disconnected' }[outcome as string] ?? line.status;
  const duration = `${Math.round(line.ms ?? 0)} ms`;
  const text = [line.method, line.path, ending, duration, details].filter(Boolean).join(' ');
  return toLine(text, /\p{Cc}/gu);
}
