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
  type UploadData,
} from '@berth/client';
import type { Deployment } from './deployment.ts';

/** Whether this is a page. What only one platform can do fails on the other with an error that is tested. */
const IS_PAGE = 'document' in globalThis;
const MIB = 1024 * 1024;
const FORM_TYPE = 'application/x-www-form-urlencoded';

/** A request as the mock's `echo` service received it. */
type Echo = Readonly<Record<'path' | 'query' | 'body', string>> & {
  readonly headers: Readonly<Record<string, string>>;
};

type GatewayOptions = Partial<GatewayClientOptions>;

function serviceOf({ gateway, token }: Deployment, name: string, options: GatewayOptions = {}) {
  const merged = { auth: bearer(token), baseUrl: gateway, ...options };
  return createGatewayClient(merged as GatewayClientOptions).service(name);
}

function echoOf(deployment: Deployment, options?: GatewayOptions) {
  return serviceOf(deployment, deployment.echo, options);
}

/** Returns a service of the gateway whose connections break or hang. */
function unstableOf(deployment: Deployment, name: 'ticker' | 'slow') {
  return serviceOf({ ...deployment, gateway: deployment.unstable }, name);
}

function storageOf({ storage, keyPair }: Deployment, options: Partial<StorageClientOptions> = {}) {
  const credentials = tc3Storage(keyPair);
  return createStorageClient({ credentials, baseUrl: storage, envId: 'dev', ...options });
}

/** Returns bytes of which each depends on its offset. */
function bytesOf(size: number): Uint8Array<ArrayBuffer> {
  return Uint8Array.from({ length: size }, (_, index) => (index * 31) % 251);
}

async function assertBytes(response: Response, expected: Uint8Array): Promise<void> {
  const actual = new Uint8Array(await response.arrayBuffer());
  assertEqual(actual.length, expected.length);
  const isEqual = actual.every((byte, index) => byte === expected[index]);
  assert(isEqual, 'other bytes were downloaded');
}

async function assertEchoes(deployment: Deployment, options?: GatewayOptions) {
  const socket = await echoOf(deployment, options).connect('room', { protocols: ['chat'] });
  assertEqual(socket.protocol, 'chat');
  const message = new Promise<unknown>((resolve) => {
    socket.addEventListener('message', ({ data }) => resolve(data), { once: true });
  });
  socket.send('中 text');
  assertEqual(await message, '中 text');
  socket.close();
}

/** What the client does on a platform. Each fails unless it works. */
const features: Record<string, (deployment: Deployment) => Promise<void>> = {
  async 'CL-JSON-REQUEST: sends paths, queries and bodies as they are'(deployment) {
    const echo = echoOf(deployment);
    const path = 'a%2Fb//c%20d/%E4%B8%AD?q=1&r=%26&r=a+b';
    const received = await echo.get<Echo>(path);
    assertEqual(`${received.path}?${received.query}`, `/${path}`);
    const bodies: [body: unknown, type: string | undefined, sent: string][] = [
      [{ a: '中', b: null }, 'application/json', '{"a":"中","b":null}'],
      [null, 'application/json', 'null'],
      [undefined, undefined, ''],
      ['é', 'text/plain;charset=UTF-8', 'é'],
      [new TextEncoder().encode('bytes'), undefined, 'bytes'],
      [new Blob(['blob'], { type: 'text/csv' }), 'text/csv', 'blob'],
      [new URLSearchParams({ a: 'b c' }), `${FORM_TYPE};charset=UTF-8`, 'a=b+c'],
    ];
    for (const [body, type, sent] of bodies) {
      const { headers, body: text } = await echo.post<Echo>('a', body);
      assertEqual([headers['content-type'], text], [type, sent]);
    }
    const stream = echo.post<Echo>('a', new Blob(['one two']).stream());
    if (IS_PAGE) await assertFails(stream, { kind: 'network' });
    else assertEqual((await stream).body, 'one two');
    async function* parts() {
      yield new TextEncoder().encode('one');
    }
    const iterable = echo.post<Echo>('a', parts());
    if (IS_PAGE) await assertFails(iterable, { kind: 'options' });
    else assertEqual((await iterable).body, 'one');
  },

  async 'does not follow a redirect of the service'(deployment) {
    // A page can only read that there was one (Fetch, section 3.6).
    const status = IS_PAGE ? 0 : 302;
    assertEqual((await echoOf(deployment).request('status/302')).status, status);
    const error = { kind: 'service', status, retryable: false };
    const { message } = await assertFails(echoOf(deployment).get('status/302'), error);
    assert(!IS_PAGE || message.includes('a redirect, which is not followed'), message);
  },

  async 'reports refusals, even of a WebSocket, unreachable servers and time limits'(deployment) {
    const refused = { kind: 'gateway', code: 'SERVICE_NOT_FOUND', status: 404 };
    const missing = serviceOf(deployment, 'missing');
    for (const call of [missing.get('a'), missing.connect()]) await assertFails(call, refused);
    // Nothing listens there.
    const offline = echoOf(deployment, { baseUrl: 'http://127.0.0.1:1', retry: false });
    await assertFails(offline.get('a'), { kind: 'network' });
    const late = unstableOf(deployment, 'slow').post('late', {}, { timeout: 50 });
    await assertFails(late, { kind: 'timeout' });
  },

  async 'CL-STORAGE-SIGNATURE: signs calls to both APIs'(deployment) {
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

  async 'returns each event once, in order, over dropped connections'(deployment) {
    const seen: string[] = [];
    for await (const { id, data } of unstableOf(deployment, 'ticker').events()) {
      seen.push(id + data);
    }
    assertEqual(seen, ['1中1', '2中2', '3中3', '4中4', '5中5']);
  },

  async 'opens a WebSocket with a token, and in Node with any credentials'(deployment) {
    await assertEchoes(deployment);
    const signer = { auth: tc3(deployment.keyPair) };
    if (!IS_PAGE) return assertEchoes(deployment, signer);
    for (const options of [signer, { auth: bearer('5ec4e7==') }]) {
      const refused = echoOf(deployment, options).connect();
      const { message } = await assertFails(refused, { kind: 'options' });
      assert(!message.includes('5ec4e7'), 'the token is shown');
    }
  },

  async 'uploads bytes, blobs and streams, with progress and without, and downloads them'(
    deployment,
  ) {
    const storage = storageOf(deployment);
    const content = bytesOf(5 * MIB);
    const blob = new Blob([content]);
    const cases: [create: () => UploadData, Uint8Array, object?][] = [
      [() => bytesOf(0), bytesOf(0)],
      [() => bytesOf(1), bytesOf(1)],
      [() => content, content],
      [() => blob, content],
      [() => blob.stream(), content],
      [() => blob.stream(), content, { size: blob.size }],
    ];
    let fileID = '';
    for (const [create, { length }, options] of cases) {
      // A page sends uploads with progress in another way.
      await storage.upload('without.bin', create(), options);
      let last = 0;
      const onProgress = ({ loaded }: Progress) => {
        assert(loaded >= last, 'the progress went back');
        last = loaded;
      };
      ({ fileID } = await storage.upload('a.bin', create(), { ...options, onProgress }));
      assertEqual(last, length);
      const sent = await storage.download(fileID.replace('a.bin', 'without.bin'));
      await assertBytes(sent, bytesOf(length));
      last = 0;
      await assertBytes(await storage.download(fileID, { onProgress }), bytesOf(length));
      assertEqual(last, length);
    }
    const part = await storage.download(fileID, { range: { offset: 7, length: 9 } });
    await assertBytes(part, content.slice(7, 16));
    const tooLong = storage.uploadAvatar('long.bin', blob.stream());
    await assertFails(tooLong, { kind: 'options' });
  },

  async 'does not limit pauses of a stream, or of an upload whose progress is unknown'(deployment) {
    const pause = () => new Promise((resolve) => setTimeout(resolve, 1_500));
    async function* parts() {
      yield 'a';
      await pause();
      yield 'b';
    }
    const slowFetch = (...call: Parameters<typeof fetch>) => pause().then(() => fetch(...call));
    await storageOf(deployment, { idle: 1_000, fetch: slowFetch }).upload('slow.txt', parts());
  },

  async 'reads the error of the upload target, and refuses its redirect'(deployment) {
    // The form lacks two fields of its grant, so nothing is stored and the response is an XML `Error`.
    const uploadFields = { securityToken: 'x-no-token', metaFileId: 'x-no-id' };
    const wireProfile = toWireProfile({ uploadFields });
    const refusing = storageOf(deployment, { retry: false, wireProfile });
    const url = `${deployment.unstable}/moved`;
    const data = { url, token: 't', authorization: 'a', fileID: 'f', storeFileID: 's' };
    const moved = storageOf(deployment, {
      fetch: async (input, init) => (input === url ? fetch(input, init) : Response.json({ data })),
    });
    if (IS_PAGE) {
      let pieces = 0;
      const pull = (controller: ReadableStreamDefaultController) => {
        pieces += 1;
        if (pieces > 9) controller.error(new Error('too many pieces were read'));
        else controller.enqueue(new Uint8Array(65_536));
      };
      const rejection = () => new Response(new ReadableStream({ pull }), { status: 400 });
      const endless = storageOf(deployment, {
        fetch: async (input) => (input === url ? rejection() : Response.json({ data })),
      });
      await assertFails(endless.upload('a.txt', 'a'), { kind: 'upload', status: 400 });
    }
    for (const onProgress of [undefined, () => {}]) {
      const refused = refusing.upload('refused.txt', 'a', { onProgress });
      await assertFails(refused, { kind: 'upload', status: 403 });
      await assertFails(moved.upload('moved.txt', 'a', { onProgress }), { kind: 'upload' });
    }
  },

  async 'uploads a local file, and downloads to one, unless in a page'(deployment) {
    const storage = storageOf(deployment);
    if (IS_PAGE) {
      const upload = storage.upload('a.bin', { file: '/a.bin' });
      return void (await assertFails(upload, { kind: 'options' }));
    }
    const { mkdtemp, readFile, rm, writeFile } = await import('node:fs/promises');
    const folder = await mkdtemp('files-');
    await writeFile(`${folder}/there.bin`, bytesOf(MIB));
    const { fileID } = await storage.upload('disk.bin', { file: `${folder}/there.bin` });
    await storage.downloadToFile(fileID, `${folder}/back.bin`);
    await assertBytes(new Response(await readFile(`${folder}/back.bin`)), bytesOf(MIB));
    await rm(folder, { recursive: true });
  },

  async 'aborts calls and event streams in the middle'(deployment) {
    const slow = unstableOf(deployment, 'slow');
    const abort = new AbortController();
    const sent = slow.post('call', {}, { signal: abort.signal });
    const call = assertFails(sent, { message: 'enough' });
    const next = slow.events('events', { signal: abort.signal }).next();
    await Promise.all([slow.get('begun/call'), slow.get('begun/events')]);
    abort.abort(new Error('enough'));
    await Promise.all([call, slow.get('ended/call'), slow.get('ended/events')]);
    assertEqual(await next, { done: true });
  },

  async 'aborts uploads and downloads in the middle'(deployment) {
    const storage = storageOf(deployment);
    const content = bytesOf(20 * MIB);
    const stop = new AbortController();
    const { signal } = stop;
    const onProgress = ({ loaded }: Progress) => loaded > 0 && stop.abort(new Error('enough'));
    const upload = storage.upload('aborted.bin', content, { signal, onProgress });
    await assertFails(upload, { message: 'enough' });
    // A canceled stream ends like a complete one.
    const end = new AbortController();
    const begun = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(bytesOf(9)),
      pull: () => end.abort(new Error('enough')),
    });
    const half = storage.upload('half.bin', begun, { signal: end.signal, onProgress: () => {} });
    await assertFails(half, { message: 'enough' });

    const { fileID } = await storage.upload('long.bin', content);
    const stored = storage.tempUrl(fileID.replace('long', 'half'));
    await assertFails(stored, { code: 'STORAGE_FILE_NONEXIST' });
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
};

/** The features, for every platform. */
export const FEATURES = Object.entries(features).map(([name, run]) => ({ name, run }));

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
async function assertFails(promise: Promise<unknown>, expected: object): Promise<Error> {
  const error = await promise.catch((reason: unknown) => reason);
  assert(error instanceof Error, 'the call did not fail');
  for (const [name, value] of Object.entries(expected)) {
    assertEqual([name, error[name as 'message']], [name, value]);
  }
  return error;
}
