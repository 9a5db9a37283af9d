import {
  bearer,
  createGatewayClient,
  createStorageClient,
  type GatewayClientOptions,
  type Progress,
  type StorageClientOptions,
  tc3,
  tc3Storage,
  toWireProfile,
} from '@berth/client';
import type { Deployment } from './deployment.ts';

/** What the client does on a platform. */
export interface Feature {
  readonly name: string;
  /** Fails unless the feature works. */
  run(deployment: Deployment): Promise<void>;
}

/** Whether this is a page. What only one platform can do fails on the other with an error that is tested. */
const IS_PAGE = 'document' in globalThis;
const MIB = 1024 * 1024;

/** A request as the mock's `echo` service received it. */
interface Echo {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

function echoOf(deployment: Deployment, options: Partial<GatewayClientOptions> = {}) {
  return serviceOf(deployment, deployment.echo, options);
}

function serviceOf(
  { gateway, token }: Pick<Deployment, 'gateway' | 'token'>,
  name: string,
  options: Partial<GatewayClientOptions> = {},
) {
  const merged = { auth: bearer(token), baseUrl: gateway, ...options };
  return createGatewayClient(merged as GatewayClientOptions).service(name);
}

/** Returns a service of the gateway whose connections break or hang. */
function unstableOf({ unstable, token }: Deployment, name: 'ticker' | 'slow') {
  return serviceOf({ gateway: unstable, token }, name);
}

function storageOf({ storage, keyPair }: Deployment, options: Partial<StorageClientOptions> = {}) {
  const credentials = tc3Storage(keyPair);
  return createStorageClient({ credentials, baseUrl: storage, envId: 'dev', ...options });
}

/** Returns bytes of which each depends on its offset. */
function bytesOf(size: number): Uint8Array<ArrayBuffer> {
  return Uint8Array.from({ length: size }, (_, index) => (index * 31) % 251);
}

function streamOf(bytes: Uint8Array): ReadableStream<Uint8Array> {
  return new Blob([bytes as Uint8Array<ArrayBuffer>]).stream();
}

async function assertBytes(response: Response, expected: Uint8Array): Promise<void> {
  const actual = new Uint8Array(await response.arrayBuffer());
  assertEqual(actual.length, expected.length);
  assert(
    actual.every((byte, index) => byte === expected[index]),
    'other bytes were downloaded',
  );
}

async function assertEchoes(deployment: Deployment, options: Partial<GatewayClientOptions>) {
  const socket = await echoOf(deployment, options).connect('room', { protocols: ['chat'] });
  assertEqual(socket.protocol, 'chat');
  const message = new Promise<unknown>((resolve) => {
    socket.addEventListener('message', ({ data }) => resolve(data), { once: true });
  });
  socket.send('中 text');
  assertEqual(await message, '中 text');
  socket.close();
}

/** The features, for every platform. */
export const FEATURES: readonly Feature[] = [
  {
    name: 'sends paths, queries, JSON, text, bytes, forms and streams',
    async run(deployment) {
      const echo = echoOf(deployment);
      const path = 'a%2Fb//c%20d/%E4%B8%AD?q=1&r=%26&r=a+b';
      const received = await echo.get<Echo>(path);
      assertEqual(`${received.path}?${received.query}`, `/${path}`);
      const post = async (body: unknown) => (await echo.post<Echo>('a', body)).body;
      assertEqual(await post({ a: '中' }), '{"a":"中"}');
      assertEqual(await post('é'), 'é');
      assertEqual(await post(new TextEncoder().encode('bytes')), 'bytes');
      assertEqual(await post(new Blob(['blob'])), 'blob');
      assertEqual(await post(new URLSearchParams({ a: 'b c' })), 'a=b+c');
      const sent = post(streamOf(new TextEncoder().encode('one two')));
      if (IS_PAGE) await assertFails(sent, { kind: 'network' });
      else assertEqual(await sent, 'one two');
    },
  },
  {
    name: 'does not follow a redirect of the service',
    async run(deployment) {
      // A page can only read that there was one (Fetch, section 3.6).
      const status = IS_PAGE ? 0 : 302;
      assertEqual((await echoOf(deployment).request('status/302')).status, status);
      const error = { kind: 'service', status, retryable: false };
      const { message } = await assertFails(echoOf(deployment).get('status/302'), error);
      assert(!IS_PAGE || message.includes('a redirect, which is not followed'), message);
    },
  },
  {
    name: 'reports refusals, even of a WebSocket, unreachable servers and time limits',
    async run(deployment) {
      const refused = { kind: 'gateway', code: 'SERVICE_NOT_FOUND', status: 404 };
      const missing = serviceOf(deployment, 'missing');
      for (const call of [missing.get('a'), missing.connect()]) await assertFails(call, refused);
      // Nothing listens there.
      const nowhere = { gateway: 'http://127.0.0.1:1', token: 't' };
      const offline = serviceOf(nowhere, 'echo', { retry: false });
      await assertFails(offline.get('a'), { kind: 'network' });
      const late = unstableOf(deployment, 'slow').post('late', {}, { timeout: 50 });
      await assertFails(late, { kind: 'timeout' });
    },
  },
  {
    name: 'signs calls to both APIs',
    async run(deployment) {
      // The mock rejects a signature that does not cover what was sent.
      const echo = echoOf(deployment, { auth: tc3(deployment.keyPair) });
      const form = new FormData();
      form.append('a', 'é');
      const bytes = new TextEncoder().encode('-é-').subarray(1, -1);
      for (const body of [{ b: 1 }, 'é', bytes, new Blob(['b', 'c']), form]) {
        assertEqual((await echo.post<Echo>('a?b=%20', body)).query, 'b=%20');
      }
      const storage = storageOf(deployment);
      await storage.delete((await storage.upload('signed.txt', 'a')).fileID);
    },
  },
  {
    name: 'returns each event once, in order, over dropped connections',
    async run(deployment) {
      const seen: string[] = [];
      for await (const { id, data } of unstableOf(deployment, 'ticker').events()) {
        seen.push(id + data);
      }
      assertEqual(seen, ['1中1', '2中2', '3中3', '4中4', '5中5']);
    },
  },
  {
    name: 'opens a WebSocket with a token, and in Node with any credentials',
    async run(deployment) {
      await assertEchoes(deployment, {});
      const signer = { auth: tc3(deployment.keyPair) };
      if (!IS_PAGE) return assertEchoes(deployment, signer);
      for (const options of [signer, { auth: bearer('5ec4e7==') }]) {
        const { message } = await assertFails(echoOf(deployment, options).connect(), {
          kind: 'options',
        });
        assert(!message.includes('5ec4e7'), 'the token is shown');
      }
    },
  },
  {
    name: 'uploads and downloads, with progress both ways',
    async run(deployment) {
      const storage = storageOf(deployment);
      for (const size of [0, 1, 5 * MIB]) {
        let last = 0;
        const onProgress = ({ loaded }: Progress) => {
          assert(loaded >= last, 'the progress went back');
          last = loaded;
        };
        const { fileID } = await storage.upload(`${size}.bin`, bytesOf(size), { onProgress });
        assertEqual(last, size);
        last = 0;
        await assertBytes(await storage.download(fileID, { onProgress }), bytesOf(size));
        assertEqual(last, size);
      }
    },
  },
  {
    name: 'uploads blobs, and streams of known and unknown length',
    async run(deployment) {
      const storage = storageOf(deployment);
      const content = bytesOf(3 * MIB);
      const size = content.length;
      for (const [data, options] of [
        [new Blob([content]), {}],
        [streamOf(content), { size }],
        [streamOf(content), {}],
      ] as const) {
        const { fileID } = await storage.upload('stream.bin', data, options);
        await assertBytes(await storage.download(fileID), content);
      }
      const tooLong = storage.uploadAvatar('long.bin', streamOf(bytesOf(3 * MIB)));
      await assertFails(tooLong, { kind: 'options' });
    },
  },
  {
    name: 'reads the XML error of the upload target, with progress and without',
    async run(deployment) {
      // The form lacks two fields of its grant, so nothing is stored and the response is an XML `Error`.
      const uploadFields = { securityToken: 'x-no-token', metaFileId: 'x-no-id' };
      const wireProfile = toWireProfile({ uploadFields });
      const storage = storageOf(deployment, { retry: false, wireProfile });
      for (const onProgress of [undefined, () => {}]) {
        const upload = storage.upload('refused.txt', 'a', { onProgress });
        await assertFails(upload, { kind: 'upload', status: 403 });
      }
    },
  },
  {
    name: 'refuses a redirect of the upload target, with progress and without',
    async run(deployment) {
      const url = `${deployment.unstable}/moved`;
      const data = { url, token: 't', authorization: 'a', fileID: 'f', storeFileID: 's' };
      const storage = storageOf(deployment, {
        fetch: async (input, init) =>
          input === url ? fetch(input, init) : Response.json({ data }),
      });
      for (const onProgress of [undefined, () => {}]) {
        const upload = storage.upload('moved.txt', 'a', { onProgress });
        await assertFails(upload, { kind: 'upload' });
      }
    },
  },
  {
    name: 'uploads a local file, and downloads to one, unless in a page',
    async run(deployment) {
      const storage = storageOf(deployment);
      if (IS_PAGE) {
        return void (await assertFails(storage.upload('a.bin', { file: '/a.bin' }), {
          kind: 'options',
        }));
      }
      const { mkdtemp, readFile, rm, writeFile } = await import('node:fs/promises');
      const folder = await mkdtemp('files-');
      await writeFile(`${folder}/there.bin`, bytesOf(MIB));
      const { fileID } = await storage.upload('disk.bin', { file: `${folder}/there.bin` });
      await storage.downloadToFile(fileID, `${folder}/back.bin`);
      await assertBytes(new Response(await readFile(`${folder}/back.bin`)), bytesOf(MIB));
      await rm(folder, { recursive: true });
    },
  },
  {
    name: 'aborts calls and event streams in the middle',
    async run(deployment) {
      const slow = unstableOf(deployment, 'slow');
      const abort = new AbortController();
      const call = assertFails(slow.post('call', {}, { signal: abort.signal }), {
        message: 'enough',
      });
      const next = slow.events('events', { signal: abort.signal }).next();
      await Promise.all([slow.get('begun/call'), slow.get('begun/events')]);
      abort.abort(new Error('enough'));
      await Promise.all([call, slow.get('ended/call'), slow.get('ended/events')]);
      assertEqual(await next, { done: true });
    },
  },
  {
    name: 'aborts uploads and downloads in the middle',
    async run(deployment) {
      const storage = storageOf(deployment);
      const content = bytesOf(20 * MIB);
      const stop = new AbortController();
      const upload = storage.upload('aborted.bin', content, {
        signal: stop.signal,
        onProgress: ({ loaded }) => loaded > 0 && stop.abort(new Error('enough')),
      });
      await assertFails(upload, { message: 'enough' });

      const { fileID } = await storage.upload('long.bin', content);
      const abort = new AbortController();
      const response = await storage.download(fileID, { signal: abort.signal });
      const reader = response.body?.getReader();
      await reader?.read();
      abort.abort(new Error('enough'));
      const rest = async () => {
        while (!(await reader?.read())?.done);
      };
      await assertFails(rest(), { message: 'enough' });
    },
  },
];

/** Fails unless a condition holds. */
function assert(holds: unknown, message: string): asserts holds {
  if (!holds) throw new Error(message);
}

/** Fails unless two values are equal as JSON. */
function assertEqual(actual: unknown, expected: unknown): void {
  const [text, expectedText] = [JSON.stringify(actual), JSON.stringify(expected)];
  assert(text === expectedText, `got ${text}, expected ${expectedText}`);
}

/** Fails unless a promise rejects with an error that has these properties, and returns it. */
async function assertFails(
  promise: Promise<unknown>,
  expected: Readonly<Record<string, unknown>>,
): Promise<Error> {
  const error = await promise.then(
    (value) => {
      throw new Error(`expected a failure, got ${JSON.stringify(value)}`);
    },
    (reason: unknown) => reason as Error & Record<string, unknown>,
  );
  for (const [name, value] of Object.entries(expected)) {
    assert(error[name] === value, `${name} of "${error}" is ${error[name]}, expected ${value}`);
  }
  return error;
}
