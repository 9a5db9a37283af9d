import { inspect } from 'node:util';
import { bearer, createGatewayClient, createStorageClient, isBerthError } from '@berth/client';
import { shown } from '../shown.ts';
import { SECRET, startCountingOrigin } from './counting-origin.ts';
import { startFaultProxy } from './fault-proxy.ts';
import { createRandom } from './random.ts';
import { type Bench, SCENARIOS } from './scenarios.ts';

/** Timeout of an attempt in milliseconds, which is shorter than the proxy's longest delay. */
const PER_TRY = 150;
/** Maximum duration of a call, including its limits, reading the result, and pauses of a busy machine. */
const LONGEST = 300_000;

/** The outcome of one run. */
export interface Run {
  readonly scenario: string;
  /** Names of the errors that the calls ended with; empty if all succeeded. */
  readonly failures: readonly string[];
  /** What was wrong with the outcome. Empty if everything was correct. */
  readonly complaints: readonly string[];
}

/**
 * Makes one call, or a list of calls, through a proxy that breaks connections, and checks the outcome.
 * Everything that happens is determined by the seed.
 *
 * @param total time limit of each call in milliseconds
 */
export async function runWithFaults(seed: number, total = 900): Promise<Run> {
  const random = createRandom(seed);
  const names = Object.keys(SCENARIOS);
  const name = names[seed % names.length] as keyof typeof SCENARIOS;
  const scenario = SCENARIOS[name] as (typeof SCENARIOS)[string];
  const complaints: string[] = [];
  const logs: string[] = [];
  const log = (event: object) => void logs.push(inspect(event, { depth: 10, showHidden: true }));

  let address = '';
  const origin = await startCountingOrigin(seed, () => address);
  const proxy = await startFaultProxy(origin.port, seed);
  address = proxy.url;
  const stop = new AbortController();
  const reason = new Error('enough');
  const timer = setTimeout(() => stop.abort(reason), random.pick([20, 200, 3_000]));

  let tokens = 0;
  const shared = {
    baseUrl: address,
    timeouts: { perTry: PER_TRY, total },
    retry: { baseDelay: 2, attempts: random.pick([2, 3, 6]) },
    hooks: { onRequest: log, onResponse: log, onRetry: log },
  };
  const files = {
    ...shared,
    envId: 'dev',
    credentials: () => ({
      authorization: `Signature=${SECRET}`,
      sessionToken: SECRET,
      timestamp: 1_700_000_000,
    }),
    onWarning: (message: string) => logs.push(message),
  };
  const bench: Bench = {
    gateway: createGatewayClient({
      ...shared,
      // Without a limit per attempt, only the total time can end the call, unless that is long.
      timeouts: { perTry: total > 1_000 ? PER_TRY : random.pick([PER_TRY, 0]), total },
      auth: bearer(() => {
        tokens += 1;
        return `token-${SECRET}-${tokens}`;
      }),
    }),
    storage: createStorageClient(files),
    byFetch: createStorageClient({ ...files, fetch }),
    origin,
    random,
    id: `call-${seed}`,
    signal: stop.signal,
  };

  const errors: unknown[] = [];
  try {
    const value = await withLimit(scenario.run(bench));
    errors.push(...errorsIn(value));
    const isRight = proxy.isAltered()
      ? scenario.isPossible
      : (scenario.isRight ?? scenario.isPossible);
    if (isRight?.(value, bench) === false) complaints.push(`a wrong success: ${show(value)}`);
  } catch (error) {
    errors.push(error);
  }
  clearTimeout(timer);
  for (const error of errors) {
    if (error !== reason && !isBerthError(error)) {
      complaints.push(`not of the family: ${inspect(error, { depth: 4 })}`);
    }
    if (shown(error).includes(SECRET)) complaints.push(`a credential in ${shown(error)}`);
  }
  for (const id of scenario.once?.(bench.id) ?? []) {
    const count = origin.executions(id);
    if (count > 1) complaints.push(`${id} was executed ${count} times`);
  }
  const leak = logs.find((text) => text.includes(SECRET));
  // Reordered bytes may move the body of a response into its headers.
  if (leak && !proxy.isAltered()) complaints.push(`a credential in what a hook got: ${leak}`);
  await proxy.close();
  await origin.close();
  return {
    scenario: name,
    failures: errors.map((error) => (error instanceof Error ? error.name : String(error))),
    complaints: complaints.map((text) => `seed ${seed} (${name}; ${proxy.plans()}): ${text}`),
  };
}

function withLimit<T>(promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`It hangs for ${LONGEST} ms.`)), LONGEST);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

/** Returns the errors in a list of results. */
function errorsIn(value: unknown): unknown[] {
  const list = Array.isArray(value) ? value : (value as { results?: unknown } | undefined)?.results;
  if (!Array.isArray(list)) return [];
  return list.flatMap(({ error, reason }) => error ?? reason ?? []);
}

const show = (value: unknown) => inspect(value, { depth: 4, breakLength: 1_000 }).slice(0, 1_000);
