import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { GatewayClient, StorageClient } from '@berth/client';
import { bytesOf, EVENTS, type startCountingOrigin } from './counting-origin.ts';
import type { Random } from './random.ts';

/** The tools of a scenario. Each call has a unique `id`. */
export interface Bench {
  readonly gateway: GatewayClient;
  readonly storage: StorageClient;
  /** The same client with its own `fetch`, which uploads use too. */
  readonly byFetch: StorageClient;
  readonly origin: Awaited<ReturnType<typeof startCountingOrigin>>;
  readonly random: Random;
  readonly id: string;
  readonly signal: AbortSignal;
}

/** One call, or a list of calls. */
export interface Scenario {
  /** Runs the scenario. Errors within the result count too. */
  run(bench: Bench): Promise<unknown>;
  /** Calls that must be executed at most once. */
  once?(id: string): readonly string[];
  /** Whether a success is correct, if no bytes were altered in transit. */
  isRight?(value: unknown, bench: Bench): boolean;
  /** Whether a success may be correct even if bytes were altered in transit. */
  isPossible?(value: unknown, bench: Bench): boolean;
}

const sameId = (value: unknown, { id }: Bench) => (value as { id?: unknown }).id === id;
const listOf = (id: string) => Array.from({ length: 120 }, (_, at) => `${id}-${at}`);
/** Checks that each result belongs to its file, and is either correct or a Berth error. */
const inOrder = (value: unknown, { id }: Bench, key: string) =>
  (value as Record<string, unknown>[]).every((result, at) => result[key] === listOf(id)[at]);
const eachOfItsOwn = (value: unknown, { id }: Bench) =>
  (value as PromiseSettledResult<{ id: string }>[]).every(
    (result, at) => result.status === 'rejected' || result.value.id === listOf(id)[at],
  );

const streamOf = (bytes: Buffer) => new Blob([new Uint8Array(bytes)]).stream();
/** Reads a download, and the length that its response announced. */
const readDownload = async (response: Response) => {
  const bytes = Buffer.from(await response.arrayBuffer());
  const [, from = 0, to] =
    /^bytes (\d+)-(\d+)/.exec(response.headers.get('Content-Range') ?? '') ?? [];
  const length = response.headers.get('Content-Length') ?? bytes.length;
  return { bytes, told: to === undefined ? Number(length) : Number(to) - Number(from) + 1 };
};
type Download = Awaited<ReturnType<typeof readDownload>>;
const isFile = (value: unknown, { id }: Bench) => bytesOf(id).equals((value as Download).bytes);
/** HTTP cannot detect altered bytes, only missing ones. */
const isLong = (value: unknown) => (value as Download).bytes.length === (value as Download).told;
const ROOT = '/v1/cloudrun/{name}/{anyPath}';
const params = (id: string) => ({ path: { name: 'work', anyPath: `a?id=${id}` } });

export const SCENARIOS: Record<string, Scenario> = {
  get: {
    run: ({ gateway, id, signal }) => gateway.service('work').get(`a?id=${id}`, { signal }),
    isRight: sameId,
  },
  post: {
    run: ({ gateway, id }) => gateway.service('work').post(`a?id=${id}`, { fill: 'x'.repeat(900) }),
    once: (id) => [id],
    isRight: sameId,
  },
  'post of a stream': {
    run: ({ gateway, id }) =>
      gateway
        .service('work')
        .post(`a?id=${id}`, streamOf(Buffer.alloc(5_000)), { idempotent: true }),
    once: (id) => [id],
    isRight: sameId,
  },
  'many posts': {
    run: ({ gateway, id }) =>
      Promise.allSettled(
        listOf(id)
          .slice(0, 8)
          .map((each) => gateway.service('work').post(`a?id=${each}`, {})),
      ),
    once: (id) => listOf(id).slice(0, 8),
    isRight: eachOfItsOwn,
  },
  'raw response': {
    run: async ({ gateway, id }) => {
      const options = { method: 'POST', body: 'x' } as const;
      const response = await gateway.service('work').request(`a?id=${id}`, options);
      await response.body?.cancel();
    },
    once: (id) => [id],
  },
  'raw call': {
    run: async ({ gateway, id, signal }) => {
      const { data } = await gateway.POST(ROOT, { params: params(id), body: {}, signal });
      return data;
    },
    once: (id) => [id],
    isRight: (value, bench) => value === undefined || sameId(value, bench),
  },
  events: {
    run: async ({ gateway, signal }) => {
      const seen: string[] = [];
      for await (const { id, data } of gateway.service('news').events('a', { signal })) {
        seen.push(`${id} ${data}`);
      }
      return { seen, isCut: signal.aborted };
    },
    isRight: (value) => {
      const { seen, isCut } = value as { seen: string[]; isCut: boolean };
      const isWhole = seen.length === EVENTS || isCut;
      return isWhole && seen.every((text, at) => text === `${at + 1} event ${at + 1}`);
    },
  },
  'delete of a list': {
    run: ({ storage, id }) => storage.delete(listOf(id)),
    once: (id) => listOf(id).map((name) => `batchDelete ${name}`),
    isRight: (value, bench) => inOrder(value, bench, 'fileID'),
    isPossible: (value, bench) => inOrder(value, bench, 'fileID'),
  },
  'raw storage call': {
    run: async ({ storage, id }) => {
      const body = { fileList: [{ srcPath: `/${id}`, dstPath: '/there' }] };
      const { data } = await storage.POST('/api/v2/envs/{envId}/storages:batchCopyFile', { body });
      return data;
    },
    once: (id) => [`batchCopyFile /${id}`],
  },
  links: {
    run: ({ storage, id }) => storage.tempUrls(listOf(id)),
    isRight: (value, bench) => inOrder(value, bench, 'fileID'),
    isPossible: (value, bench) => inOrder(value, bench, 'fileID'),
  },
  upload: {
    run: ({ storage, id, signal }) =>
      storage.upload(id, bytesOf(id), { signal, timeouts: { total: 900 } }),
    isRight: (value, { id, origin }) =>
      (value as { fileID: string }).fileID === `id of ${id}` &&
      origin.stored(id)?.equals(bytesOf(id)) === true,
    isPossible: (_, { id, origin }) => origin.stored(id)?.equals(bytesOf(id)) === true,
  },
  'upload by fetch': {
    run: ({ byFetch, id }) => byFetch.upload(id, bytesOf(id), { timeouts: { total: 900 } }),
    isPossible: (_, { id, origin }) => origin.stored(id)?.equals(bytesOf(id)) === true,
  },
  'upload of a stream': {
    run: ({ storage, id }) =>
      storage.upload(id, streamOf(bytesOf(id)), {
        timeouts: { total: 900 },
        onProgress: () => {},
      }),
    once: (id) => [`upload ${id}`],
    isPossible: (_, { id, origin }) => origin.stored(id)?.equals(bytesOf(id)) === true,
  },
  'many uploads': {
    run: ({ storage, id }) =>
      storage.uploadMany(
        ['a', 'b', 'c'].map((name) => ({ path: `${id}-${name}`, data: bytesOf(`${id}-${name}`) })),
        { timeouts: { total: 900 } },
      ),
    isPossible: (value, { origin }) =>
      (value as Awaited<ReturnType<StorageClient['uploadMany']>>).results.every(
        ({ path, error }) => error || origin.stored(path)?.equals(bytesOf(path)),
      ),
  },
  download: {
    run: async ({ storage, id }) => readDownload(await storage.download(id)),
    isRight: isFile,
    isPossible: isLong,
  },
  'download of a part': {
    run: async ({ storage, id }) => {
      const range = { offset: 0, length: bytesOf(id).length || 1 };
      return readDownload(await storage.download(id, { range }));
    },
    isRight: isFile,
    isPossible: isLong,
  },
  'download to a file': {
    run: async ({ storage, id }) => {
      const folder = await mkdtemp(join(tmpdir(), 'berth-faults-'));
      try {
        await storage.downloadToFile(id, join(folder, id)).catch(async (error) => {
          throw (await readdir(folder)).length > 0 ? new Error('It leaves a file behind.') : error;
        });
        return { bytes: await readFile(join(folder, id)) };
      } finally {
        await rm(folder, { recursive: true });
      }
    },
    isRight: isFile,
  },
};
