import { CONTRACT } from '@berth/server-stubs/contract';
import { DEVELOPMENT_ENV } from './development-keys.ts';

const FILE = 'hello.txt';
const MOVED = 'moved.txt';

export interface DevelopmentFacts {
  readonly url: string;
  readonly adminUrl: string;
  readonly data: string;
  readonly token: string;
  readonly keyPair: { readonly id: string; readonly secret: string };
}

export function describeDevelopment(facts: DevelopmentFacts): string {
  const { url, adminUrl, data, keyPair, token } = facts;
  const { documents } = CONTRACT;
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
 * Lines for a POSIX shell, to run in order: calls of a service and of the storage API.
 */
function listCurls({ url, token, keyPair }: DevelopmentFacts): string {
  const service = `${url}/v1/cloudrun/hello`;
  const bearer = `-H "Authorization: Bearer $token"`;
  const json = (body: string) => `-H 'Content-Type: application/json' -d ${body}`;
  const settings = {
    ENV: DEVELOPMENT_ENV,
    STORAGE_URL: url,
    TC3_SECRET_ID: keyPair.id,
    TC3_SECRET_KEY: keyPair.secret,
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
    `curl -sS "$(npx @berth/client url remote:/${FILE})"`,
    `npx @berth/client mv remote:/${FILE} remote:/${MOVED}`,
    `npx @berth/client rm remote:/${MOVED}`,
  ].join('\n');
}
