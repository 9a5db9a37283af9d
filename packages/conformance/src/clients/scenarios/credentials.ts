import defaults from '@berth/spec/defaults.json' with { type: 'json' };
import { signStorage } from '../../credentials/create-signers.ts';
import { signTc3 } from '../../credentials/sign-tc3.ts';
import { readAll, splitTarget } from '../../http/exchange.ts';
import { events, type Place, type Received, type Reply } from '../deployment.ts';
import type { Task } from '../driver.ts';
import {
  at,
  COPY,
  DELETE,
  get,
  LINKS,
  type Problems,
  post,
  type Scenario,
  SERVICE,
  scenario,
  UPLOAD,
} from '../scenario.ts';

const BODY = { name: 'Ada', city: '北京' };

const STORAGE = [UPLOAD, LINKS, DELETE, COPY];

const SIGNED = [
  get('a', 'key'),
  get('files/a%2Fb//c?b=2&a=1&q=%20+', 'key'),
  post('orders?x=1', BODY, 'key'),
  post('', {}, 'key'),
];

/** Redirects to the same path of another origin. */
const toElsewhere: Reply = ({ request, response, place }) => {
  const isPost = request.method === 'POST';
  response.writeHead(isPost ? 307 : 302, { Location: place.elsewhere + request.target }).end();
};

const RESUMED: Task = { task: 'events', service: SERVICE, path: 'events/bearer', count: 2 };

/** How calls are authenticated, and where credentials must not be sent. */
export const credentials: readonly Scenario[] = [
  scenario('CL-BEARER', 'a GET', get('a')).expect(every('gateway', findBearerFault)),
  scenario('CL-BEARER', 'a POST', post('a', BODY)).expect(every('gateway', findBearerFault)),
  scenario('CL-BEARER', 'an event stream that is interrupted', RESUMED, {
    gateway: [events(['retry: 10\nid: 1\ndata: one\n\n'], 'cut'), events(['id: 2\ndata: two\n\n'])],
  }).expect(every('gateway', findBearerFault)),
  ...SIGNED.map((task) => {
    const about = 'method' in task ? `${task.method} "${task.path}"` : '';
    return scenario('CL-SIGNATURE', about, task).expect(every('gateway', findSignatureFault));
  }),
  ...STORAGE.flatMap((task) => [
    scenario('CL-STORAGE-HEADERS', task.task, task).expect(every('storage', findStorageFault)),
    scenario('CL-STORAGE-SIGNATURE', task.task, task).expect(
      every('storage', findStorageSignatureFault),
    ),
  ]),
  ...[get('a?b=1'), get('a?b=1', 'key'), UPLOAD, LINKS].map((task) =>
    scenario('CL-SECRETS', `the task ${task.task}`, task).expect(every('all', findSecret)),
  ),
  ...[get('moved'), get('moved', 'key'), post('moved', BODY), UPLOAD].map((task) =>
    scenario('CL-REDIRECT-CREDENTIALS', `the task ${task.task}`, task, {
      ...{ gateway: [toElsewhere], storage: [toElsewhere] },
    }).expect(({ elsewhere, place }) =>
      elsewhere.map((request) => {
        const message = findLeak(request, place);
        return at(request, message && `after the redirect, ${message}`);
      }),
    ),
  ),
];

function every(
  name: 'gateway' | 'storage' | 'all',
  findFault: (request: Received, place: Place) => string | undefined,
): Scenario['check'] {
  return ({ [name]: requests, place }): Problems => {
    if (requests.length === 0) return 'the call was not sent';
    return requests.map((request) => at(request, findFault(request, place)));
  };
}

const { algorithm, service, storageSigningHost, storageVersion } = defaults.signature;

/** How far a timestamp may differ from our clock, in seconds. */
const CLOCK_WINDOW = defaults.limits.clockWindowSeconds.value;

function findBearerFault(request: Received, { token }: Place): string | undefined {
  const value = request.header('authorization');
  if (value === undefined) return 'the Authorization header is missing';
  const [, sent] = /^Bearer +(.*)$/i.exec(value) ?? [];
  return sent === token ? undefined : 'the Authorization header does not contain the bearer token';
}

function findSignatureFault(request: Received, place: Place): string | undefined {
  const value = request.header('authorization');
  if (value === undefined) return 'the Authorization header is missing';
  const parts = readParts(value, algorithm);
  if (parts === undefined) return `the Authorization header must begin with ${algorithm}`;
  const clock = findClockFault(parts.Timestamp);
  if (clock !== undefined) return `in the signature, ${clock}`;
  if (parts.Token !== place.sessionToken) {
    return 'the signature must end with the session token (Token=…)';
  }
  const names = (parts.SignedHeaders ?? '').split(';');
  if (!names.includes('host')) return 'SignedHeaders must contain host';
  const missing = names.find((name) => readAll(request.headers, name).length === 0);
  if (missing !== undefined) return `the signed header ${missing} was not sent`;
  const { pathname, search } = splitTarget(request.target);
  const input = {
    ...{ method: request.method, path: pathname, query: search, body: request.body },
    headers: names.map((name) => [name, request.header(name) ?? ''] as const),
    timestamp: Number(parts.Timestamp),
  };
  const expected = signTc3(input, toKeys(place));
  if (parts.Credential !== expected.Credential) return `Credential must be ${expected.Credential}`;
  if (parts.Signature === expected.Signature) return undefined;
  return 'the signature is wrong for the method, path, query, headers and body that were sent';
}

function findStorageFault(request: Received, place: Place): string | undefined {
  const { authorization, sessionToken, timestamp } = place.profile.storageHeaders;
  const missing = [authorization, sessionToken, timestamp].find(
    (name) => request.header(name) === undefined,
  );
  if (missing !== undefined) return `the ${missing} header is missing`;
  if (request.header(sessionToken) !== place.sessionToken) {
    return `the ${sessionToken} header does not contain the session token`;
  }
  const clock = findClockFault(request.header(timestamp));
  return clock && `the ${timestamp} header is invalid: ${clock}`;
}

function findStorageSignatureFault(request: Received, place: Place): string | undefined {
  const names = place.profile.storageHeaders;
  const scheme = `${storageVersion} ${algorithm}`;
  const sent = readParts(request.header(names.authorization) ?? '', scheme);
  if (sent === undefined) return `the ${names.authorization} header must begin with "${scheme}"`;
  const timestamp = Number(request.header(names.timestamp));
  const expected = readParts(signStorage(timestamp, storageSigningHost, toKeys(place)), scheme);
  if (sent.Credential !== expected?.Credential) return `Credential must be ${expected?.Credential}`;
  return sent.Signature === expected?.Signature
    ? undefined
    : `the signature in the ${names.authorization} header is wrong`;
}

function toKeys({ secretId, secretKey, sessionToken }: Place) {
  return { secretId, secretKey, token: sessionToken, service };
}

function findClockFault(value: string | undefined): string | undefined {
  if (value === undefined || !/^\d{1,12}$/.test(value)) {
    return 'the timestamp must be whole seconds since the epoch';
  }
  const off = Math.abs(Date.now() / 1000 - Number(value));
  return off > CLOCK_WINDOW ? `the timestamp ${value} is not the current time` : undefined;
}

/** Parses `<scheme> Name=value, Name=value`; spaces after commas are optional. */
function readParts(value: string, scheme: string): Record<string, string> | undefined {
  if (!value.startsWith(`${scheme} `)) return undefined;
  const parts = value.slice(scheme.length + 1).split(/, */);
  return Object.fromEntries(
    parts.map((part) => {
      const [name = '', ...rest] = part.split('=');
      return [name.trim(), rest.join('=')];
    }),
  );
}

const listCredentials = ({ token, secretKey, sessionToken }: Place) => [
  ...[token, secretKey, sessionToken],
];

function findSecret(request: Received, place: Place): string | undefined {
  if (toText(request).includes(place.secretKey)) return 'the secret key was sent';
  const inUrl = [...listCredentials(place), algorithm].some((each) =>
    request.target.includes(each),
  );
  return inUrl ? 'the URL contains a credential' : undefined;
}

/** Returns which credential a request contains that must contain none. */
export function findLeak(request: Received, place: Place): string | undefined {
  const { authorization, sessionToken } = place.profile.storageHeaders;
  const names = ['authorization', authorization, sessionToken];
  const leaked = names.find((name) => request.header(name));
  if (leaked !== undefined) return `the ${leaked} header was sent to another origin`;
  const sent = toText(request);
  return listCredentials(place).some((secret) => sent.includes(secret))
    ? 'a credential was sent to another origin'
    : undefined;
}

function toText({ target, headers, body }: Received): string {
  return [target, ...headers.map((header) => header.join(': ')), body.toString()].join('\n');
}
