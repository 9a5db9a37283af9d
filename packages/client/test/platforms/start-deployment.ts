import { createHash, X509Certificate } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  createMock,
  defineService,
  type Mock,
  type MockOptions,
  type ServiceCall,
} from '@berth/mock';
import type { Deployment } from './platform-case.ts';
import { LAST_TICK, SERVICES, TICK_LOSS, TICK_TEXT, type Tick } from './services.ts';

const ENV = 'dev';
/** Enough for the largest files of two platforms that run concurrently. */
const MAX_STORE_BYTES = 500_000_000;

/**
 * Starts mocks as a deployment, which checks every signature. `echo` is built into the mock.
 *
 * @param folder where the certificate to trust is written
 */
export async function startDeployment(folder: string) {
  const services = { [SERVICES.ticker]: ticker, [SERVICES.slow]: slow };
  const start = (options: MockOptions) =>
    createMock({ env: ENV, auth: 'strict', services, maxStoreBytes: MAX_STORE_BYTES, ...options });
  const [open, secure, strange, closed, gone] = await Promise.all([
    start({}),
    start({ tls: true }),
    start({ tls: true }),
    // No page in the suite has this origin.
    start({ origins: ['https://elsewhere.example'] }),
    start({}),
  ]);
  await gone.close();
  const { id: secretId, secret: secretKey, token } = await open.credentials();
  const file = join(folder, 'trusted.pem');
  const ca = secure.certificate ?? '';
  await writeFile(file, ca);
  const deployment: Deployment = {
    ...surfacesOf(open),
    ...{ nowhere: gone.url, envId: ENV, token, keyPair: { secretId, secretKey } },
    secure: { ...surfacesOf(secure), ca },
    strange: { ...surfacesOf(strange), ca: strange.certificate ?? '' },
    closed: surfacesOf(closed),
  };
  return {
    deployment,
    trusted: { file, pin: toPin(ca) },
    close: () => Promise.all([open, secure, strange, closed].map((mock) => mock.close())),
  };
}

function surfacesOf({ gatewayUrl, storageUrl }: Mock) {
  return { gateway: gatewayUrl, storage: storageUrl };
}

/** Returns the SHA-256 of a certificate's public key, in base64. */
function toPin(cert: string): string {
  const publicKey = new X509Certificate(cert).publicKey.export({ type: 'spki', format: 'der' });
  return createHash('sha256').update(publicKey).digest('base64');
}

/** The mock ends streams immediately, so the pause comes before the last bytes. */
const ticker = defineService({
  routes: {
    'GET /*': ({ headers }) => {
      const after = headers['last-event-id'];
      const first = Number(after ?? 0) + 1;
      if (first > LAST_TICK) return { status: 204 };
      const data: Tick = { after: after === undefined ? null : String(after), text: TICK_TEXT };
      const event = 'tick';
      const whole = [first, first + 1]
        .filter((id) => id <= LAST_TICK)
        .map((id) => ({ id, event, data }));
      const lost = { id: first + 2, event, data, delay: TICK_LOSS, cut: true } as const;
      return {
        events: yieldAll([{ retry: 10 }, ...whole, ...(lost.id > LAST_TICK ? [] : [lost])]),
      };
    },
  },
});

/** Not a list, because the mock would resume a list after `Last-Event-ID` by itself. */
function* yieldAll<Event>(list: readonly Event[]): Generator<Event> {
  yield* list;
}

const slow = defineService({
  routes: {
    'GET /begun/{id}': (call) => sendMark(call, 'begun'),
    'GET /ended/{id}': (call) => sendMark(call, 'ended'),
    'GET /{id}': hang,
    'POST /{id}': hang,
  },
});

async function sendMark(call: ServiceCall, kind: 'begun' | 'ended') {
  await markOf(call, kind).promise;
  return { status: 204 };
}

async function hang(call: ServiceCall) {
  const ended = markOf(call, 'ended');
  call.signal.addEventListener('abort', () => ended.resolve());
  markOf(call, 'begun').resolve();
  if (call.headers.accept === 'text/event-stream') {
    return { events: [{ event: 'started', data: '' }], keepOpen: true };
  }
  return new Promise<never>(() => {});
}

/** A one-time event that can be awaited before and after it happens. */
function markOf({ state, params }: ServiceCall, kind: 'begun' | 'ended') {
  const name = `${kind} ${params.id}`;
  const known = state.get(name) as PromiseWithResolvers<void> | undefined;
  const mark = known ?? Promise.withResolvers<void>();
  state.set(name, mark);
  return mark;
}
