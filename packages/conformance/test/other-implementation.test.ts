import { expect, test } from 'vitest';
import { type ConformanceOptions, createConformance, type Report } from '../src/index.ts';
import type { Choices } from './second-server/choices.ts';
import { startSecond } from './targets/start-second.ts';

/** What the second server drops with `should: 'dropped'`, and an entry without `fileID` besides. */
const DROPPED = [
  'ST-ENVELOPE-MESSAGE-PRESENT',
  'ST-ENVELOPE-REQUEST-ID-PRESENT',
  'ST-UNKNOWN-FIELDS',
];
const NO_FILE_ID = 'ST-COPY-FILE-ID-PRESENT';

const FILES = ['ST-', 'UP-', 'AU-STORAGE'];

/** Runs the suite against the second server. */
async function runSecondServer(
  choices: Partial<Choices> = {},
  options: Partial<ConformanceOptions> = {},
): Promise<Report> {
  await using target = await startSecond(choices);
  const declared = choices.envelope === 'flat' ? { wireProfile: { envelope: 'flat' } } : {};
  return await createConformance({ ...target.access, ...declared, ...options }).run();
}

function listOthers({ results }: Report): string[] {
  return results
    .filter(({ outcome, reason }) => outcome !== 'pass' && reason !== 'not in --only')
    .map(({ id, outcome }) => `${outcome} ${id}`)
    .toSorted();
}

const toFails = (ids: string[]) => ids.map((id) => `fail ${id}`).toSorted();

test('a server that makes different choices passes, except for the SHOULD rules that it does not follow', async () => {
  // `sound.test.ts` makes a whole run.
  const report = await runSecondServer({}, { only: FILES });
  expect(listOthers(report)).toEqual(toFails([...DROPPED, NO_FILE_ID]));
  const should = report.results.filter(({ outcome }) => outcome === 'fail');
  expect(new Set(should.map(({ level }) => level))).toEqual(new Set(['should']));
  expect(report.exitCode).toBe(0);
  expect(report.leftovers).toEqual([]);
});

/** The rules about responses to failed calls and about copies, and those that this server drops. */
const REFUSALS = ['ST-COPY', 'ST-ENVELOPE', 'ST-MISSING', 'ST-BAD', 'ST-UNKNOWN', 'UP-BROKEN'];
const ALL: Partial<Choices> = { should: 'kept', copyFileId: 'destination' };

test.each<[Partial<Choices>, string[], Partial<ConformanceOptions>]>([
  [{ ...ALL, requestForm: 'top', failures: 'status' }, [], { only: REFUSALS }],
  [{ failures: 'ok', copyFileId: 'source', envelope: 'flat' }, DROPPED, { only: REFUSALS }],
  [{ ...ALL, envelope: 'flat' }, [], { only: ['respect', 'dredd'] }],
  [{ ...ALL, failures: 'ok' }, [], { only: ['ST-COPY'], requestForm: 'data' }],
])('%j passes', async (choices, dropped, options) => {
  const report = await runSecondServer(choices, options);
  expect(listOthers(report)).toEqual(toFails(dropped));
  expect(report.exitCode).toBe(0);
  expect(report.leftovers).toEqual([]);
});

test('a gateway that does not accept forms passes, because the rule about signed forms does not apply', async () => {
  const report = await runSecondServer({ forms: 'refused' }, { only: ['GW-FORWARD', 'AU-'] });
  expect(listOthers(report)).toEqual(['disabled AU-TC3-MULTIPART']);
  expect(report.exitCode).toBe(0);
});
