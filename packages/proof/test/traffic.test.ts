import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createConformance } from '@berth/conformance';
import { afterEach, expect, test, vi } from 'vitest';
import { Caller } from '../../conformance/src/http/caller.ts';
import type { Exchange, HeaderList } from '../../conformance/src/http/exchange.ts';
import { toSettings } from '../../conformance/src/options.ts';
import { runTraffic } from '../../conformance/src/traffic/run-traffic.ts';
import { EXCHANGE_RULES } from '../../conformance/src/validation/exchange-rules.ts';
import { firstMutants } from '../src/mutants/index.ts';
import { takeTurn } from './support/take-turn.ts';
import { useMutated } from './support/test-own-rules.ts';

const mutated = useMutated();

afterEach(() => vi.restoreAllMocks());

const toPairs = (headers: HeaderList) => headers.map(([name, value]) => ({ name, value }));
const toBase64 = (body: Buffer) => ({ text: body.toString('base64'), encoding: 'base64' });

/** Checks a deployment by some rules, and then checks the recording of all calls that the suite made. */
async function checkRecorded(only: string[]) {
  const exchanges: Exchange[] = [];
  const call = Caller.prototype.call;
  vi.spyOn(Caller.prototype, 'call').mockImplementation(async function (this: Caller, ...args) {
    const exchange = await call.apply(this, args);
    exchanges.push(exchange);
    return exchange;
  });
  const { results } = await createConformance({ ...mutated().options, only }).run();
  const entries = exchanges.map(({ sent, received }) => ({
    request: {
      ...{ method: sent.method, url: sent.url, headers: toPairs(sent.headers) },
      postData: toBase64(sent.body),
    },
    response: {
      ...{ status: received.status, headers: toPairs(received.headers) },
      content: { size: received.body.length, ...toBase64(received.body) },
    },
  }));
  const folder = await mkdtemp(join(tmpdir(), 'berth-traffic-'));
  try {
    const file = join(folder, 'run.har');
    await writeFile(file, JSON.stringify({ log: { entries } }));
    const url = 'http://nowhere.invalid';
    const settings = toSettings({ gatewayUrl: url, storageUrl: url });
    const report = await runTraffic({ files: [file] }, settings);
    const toFailed = (all: typeof results) =>
      all.filter(({ outcome }) => outcome === 'fail').map(({ id }) => id);
    return { live: toFailed(results), recorded: toFailed(report.results), report };
  } finally {
    await rm(folder, { recursive: true });
  }
}

test('the calls of a run against a correct server are correct when they are read from a recording', async () => {
  mutated().use(undefined);
  const { live, recorded, report } = await checkRecorded([
    ...['GW-C', 'GW-ERROR', 'GW-NAME-L', 'GW-REQUEST-ID-OPTIONS', 'AU-BEARER'],
    ...['ST-ENVELOPE', 'ST-MISSING', 'ST-WRONG', 'ST-LINKS-CODE', 'ST-COPY-F', 'UP-ERROR'],
  ]);
  expect([live, recorded]).toEqual([[], []]);
  expect(report.traffic?.checked).toBeGreaterThan(100);
});

/** WebSockets are not in the recording. */
const NOT_RECORDED: readonly string[] = ['GW-C3-WEBSOCKET', 'GW-REQUEST-ID-UPGRADE'];

/** A run finds these faults only because it knows which files exist, or what is wrong with a form. */
const HIDDEN: readonly string[] = [
  'the code for a file without an extension is OK',
  'the code for a file that is deleted along with others is DELETED',
  'the fileID of an entry does not belong to any file',
  'JSON instead of a form is rejected as plain text',
  'a form without its end is a success that stores nothing',
];

const visible = firstMutants.filter(
  ({ rule, breaks }) =>
    rule in EXCHANGE_RULES && !NOT_RECORDED.includes(rule) && !HIDDEN.includes(breaks),
);

test.each(takeTurn(visible, 20))(
  'a rule that a run finds broken is also broken in the recording (a twentieth per commit): $rule: $breaks',
  async (mutant) => {
    mutated().use(mutant);
    const { live, recorded } = await checkRecorded([mutant.rule]);
    expect(live).toContain(mutant.rule);
    expect(recorded).toContain(mutant.rule);
  },
);
