import type { ConfigInput } from '../../src/index.ts';
import { tellCeph } from '../ceph/support/start-ceph.ts';
import { CREDENTIALS, newBucket, type useCeph } from '../ceph/support/use-ceph.ts';
import { makeFolder } from '../server/support/start-server.ts';
import { startRedis } from '../shared/support/start-redis.ts';
import { Cable, type Patch, Replica } from './replicas.ts';
import { below, type Deployment, type Fault, pick, type Random } from './run-histories.ts';

const REPLICAS = 3;

/** How long a call of the server that changes names on disk may take. */
const DISK_MILLISECONDS = 5;
/** How long data may take between a server and its object store, in each direction. */
const CABLE_MILLISECONDS = 5;

/** Locks of killed processes expire sooner. No lock is lost otherwise: processes are frozen for a shorter time. */
const SHORT_LOCKS: readonly Patch[] = [
  ['LEASE', '30_000', '3_000'],
  ['RENEWAL', '5_000', '500'],
  ['FENCE', '15_000', '1_500'],
  ['WAIT', '45_000', '4_500'],
].map(([name, usual, short]) => ({
  file: 'shared/create-locks.ts',
  find: `${name}_MILLISECONDS = ${usual}`,
  replace: `${name}_MILLISECONDS = ${short}`,
}));

/** What can happen to any replica. Only one is away at a time. */
function faultsOf(replicas: readonly Replica[]): Fault[] {
  const pickReplica = (random: Random) => pick(replicas, random);
  return [
    { weight: 80, run: (random) => pickReplica(random).freeze(20 + below(300, random)) },
    {
      weight: 10,
      run: async (random) => {
        const replica = pickReplica(random);
        await replica.kill();
        await replica.start();
      },
    },
    { weight: 20, run: async (random) => pickReplica(random).turnClock() },
  ];
}

async function startReplicas(
  count: number,
  toConfig: (index: number) => Partial<ConfigInput>,
): Promise<Replica[]> {
  const surroundings = { patches: SHORT_LOCKS, diskMilliseconds: DISK_MILLISECONDS };
  const replicas = Array.from(
    { length: count },
    (_, index) => new Replica(toConfig(index), surroundings),
  );
  await Promise.all(replicas.map((replica) => replica.start()));
  return replicas;
}

/** Starts the one process that may use a folder. */
export async function deployOnDisk(): Promise<Deployment> {
  const root = await makeFolder();
  const store = { driver: 'file' as const, root };
  const replicas = await startReplicas(1, () => ({ store }));
  return {
    replicas,
    faults: faultsOf(replicas),
    isMoveAtomic: true,
    command: 'npx vitest run test/histories/file-store.test.ts',
  };
}

/** Starts three replicas that share a bucket and Redis, each over cables of its own. */
export async function deployOnCeph({
  folder,
  endpoint,
}: Awaited<ReturnType<typeof useCeph>>): Promise<Deployment> {
  const { bucket } = await newBucket(endpoint);
  const { accessKeyId, secretAccessKey } = CREDENTIALS;
  const redis = await startRedis();
  const cables = await Promise.all(
    Array.from({ length: REPLICAS }, async () => ({
      store: await Cable.to(Number(new URL(endpoint).port), CABLE_MILLISECONDS),
      redis: await Cable.to(redis.port, 0),
    })),
  );
  const replicas = await startReplicas(REPLICAS, (index) => {
    const { store, redis: shared } = cables[index] as (typeof cables)[number];
    return {
      store: {
        driver: 's3',
        bucket,
        endpoint: `http://127.0.0.1:${store.port}`,
        accessKeyId,
        secretAccessKey,
        forcePathStyle: true,
      },
      shared: { url: `redis://127.0.0.1:${shared.port}`, failClosed: true },
    };
  });
  const all = cables.flatMap(({ store, redis: shared }) => [store, shared]);
  return {
    replicas,
    faults: [
      ...faultsOf(replicas),
      { weight: 50, run: (random) => pick(all, random).cut(20 + below(300, random)) },
      {
        weight: 1,
        run: async () => {
          await tellCeph('stop-gateway', folder);
          await tellCeph('start-gateway', folder);
        },
      },
    ],
    isMoveAtomic: false,
    command: 'BERTH_SOAK=1 npx vitest run test/ceph/histories.test.ts',
  };
}
