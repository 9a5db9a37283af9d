import {
  findBearerFault,
  findSignatureFault,
  findStorageFault,
  findStorageSignatureFault,
  listCredentials,
} from '../credentials.ts';
import type { Task } from '../protocol.ts';
import { events, type Place, type Received, type Reply } from '../replies.ts';
import {
  get,
  type Problem,
  post,
  type Scenario,
  SERVICE,
  type Seen,
  scenario,
  toFileId,
} from '../scenario.ts';

const BODY = { name: 'Ada', city: '北京' };

const FILES = [{ srcPath: '/a.txt', dstPath: '/b.txt' }];
const UPLOAD: Task = { task: 'upload', path: 'secret.txt', content: 'QQ==' };
const LINKS: Task = { task: 'links', fileIDs: [toFileId('a.txt')] };

const STORAGE: readonly Task[] = [
  UPLOAD,
  LINKS,
  { task: 'delete', fileIDs: [toFileId('a.txt')] },
  { task: 'copy', files: FILES },
];

/** Redirects to the same path of another origin. */
const toElsewhere: Reply = ({ request, response, place }) => {
  const isPost = request.method === 'POST';
  response.writeHead(isPost ? 307 : 302, { Location: place.elsewhere + request.target }).end();
};

/** How calls are authenticated, and where credentials must not be sent. */
export const credentials: readonly Scenario[] = [
  scenario('CL-BEARER', 'a GET', get('a'), {}, every('gateway', findBearerFault)),
  scenario('CL-BEARER', 'a POST', post('a', BODY), {}, every('gateway', findBearerFault)),
  scenario(
    'CL-BEARER',
    'an event stream that is interrupted',
    { task: 'events', service: SERVICE, path: 'events/bearer', count: 2 },
    {
      gateway: [
        events(['retry: 10\nid: 1\ndata: one\n\n'], 'cut'),
        events(['id: 2\ndata: two\n\n']),
      ],
    },
    every('gateway', findBearerFault),
  ),
  ...[
    get('a', 'key'),
    get('files/a%2Fb//c?b=2&a=1&q=%20+', 'key'),
    post('orders?x=1', BODY, 'key'),
    post('', {}, 'key'),
  ].map((task) => {
    const about = 'path' in task && 'method' in task ? `${task.method} "${task.path}"` : '';
    return scenario('CL-SIGNATURE', about, task, {}, every('gateway', findSignatureFault));
  }),
  ...STORAGE.flatMap((task) => [
    scenario('CL-STORAGE-HEADERS', task.task, task, {}, every('storage', findStorageFault)),
    scenario(
      'CL-STORAGE-SIGNATURE',
      task.task,
      task,
      {},
      every('storage', findStorageSignatureFault),
    ),
  ]),
  ...[get('a?b=1'), get('a?b=1', 'key'), UPLOAD, LINKS].map((task) =>
    scenario('CL-SECRETS', `the task ${task.task}`, task, {}, hasNoSecretInUrls),
  ),
  ...[get('moved'), get('moved', 'key'), post('moved', BODY), UPLOAD].map((task) =>
    scenario(
      'CL-REDIRECT-CREDENTIALS',
      `the task ${task.task}`,
      task,
      { gateway: [toElsewhere], storage: [toElsewhere] },
      hasNoCredentialsElsewhere,
    ),
  ),
];

/** Checks the credentials of every request to a server. */
function every(
  name: 'gateway' | 'storage',
  findFault: (request: Received, place: Place) => string | undefined,
): Scenario['check'] {
  return function* (seen) {
    const requests = seen[name];
    if (requests.length === 0) yield 'the call was not sent';
    for (const request of requests) {
      const message = findFault(request, seen.place);
      if (message !== undefined) yield { message, request };
    }
  };
}

function* hasNoSecretInUrls({ all, place }: Seen): Iterable<Problem> {
  if (all.length === 0) yield 'the call was not sent';
  for (const request of all) {
    const sent = toText(request);
    if (sent.includes(place.secretKey)) yield { message: 'the secret key was sent', request };
    const inUrl = [...listCredentials(place), 'TC3-HMAC-SHA256'].some((secret) =>
      request.target.includes(secret),
    );
    if (inUrl) yield { message: 'the URL contains a credential', request };
  }
}

function* hasNoCredentialsElsewhere({ elsewhere, place }: Seen): Iterable<Problem> {
  for (const request of elsewhere) {
    const message = findLeak(request, place);
    if (message !== undefined) yield { message: `after the redirect, ${message}`, request };
  }
}

/** Returns which credential a request contains that must contain none. */
export function findLeak(request: Received, place: Place): string | undefined {
  const { authorization, sessionToken } = place.profile.storageHeaders;
  const leaked = ['authorization', authorization, sessionToken].find((name) =>
    request.header(name),
  );
  if (leaked !== undefined) return `the ${leaked} header was sent to another origin`;
  const sent = toText(request);
  return listCredentials(place).some((secret) => sent.includes(secret))
    ? 'a credential was sent to another origin'
    : undefined;
}

function toText({ target, headers, body }: Received): string {
  return [target, ...headers.map((header) => header.join(': ')), body.toString()].join('\n');
}
