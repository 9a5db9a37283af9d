import acme from '@berth/spec/wire-profiles/acme.json' with { type: 'json' };
import { expect, test } from 'vitest';
import { type ConformanceOptions, createConformance, type Report } from '../src/index.ts';
import { toSummaryLine } from '../src/report/to-lines.ts';
import type { Choices } from './second-server/choices.ts';
import { startMock } from './targets/start-mock.ts';
import { startReference } from './targets/start-reference.ts';
import { startSecond } from './targets/start-second.ts';

/** Runs the suite against the second server, and returns the report and the IDs that did not pass. */
async function check(choices: Partial<Choices>, options: Partial<ConformanceOptions>) {
  await using second = await startSecond(choices);
  const report = await createConformance({ ...second.options, ...options }).run();
  return { report, others: listOthers(report) };
}

const listOthers = ({ results }: Report) =>
  results
    .filter(({ outcome, reason }) => outcome !== 'pass' && reason !== 'not in --only')
    .map(({ id, outcome }) => `${outcome} ${id}`)
    .toSorted();

const KEPT: Partial<Choices> = { should: 'kept', copyFileId: 'destination' };
const only = ['ST-COPY', 'ST-ENVELOPE', 'ST-MISSING', 'ST-BAD', 'ST-UNKNOWN', 'UP-BROKEN'];

test.each<Partial<Choices>>([
  { requestForm: 'top', failures: 'status', copyPaths: 'absolute' },
  { failures: 'ok', copyFileId: 'source' },
])('a storage API with %j passes', async (choices) => {
  const { report, others } = await check({ ...KEPT, ...choices }, { only });
  expect(others).toEqual([]);
  expect(report).toMatchObject({ exitCode: 0, leftovers: [] });
});

test('a SHOULD that is not followed fails, and the deployment follows the contract', async () => {
  const { report, others } = await check({}, { only });
  expect(others).toEqual([
    'fail ST-COPY-FILE-ID-PRESENT',
    'fail ST-ENVELOPE-MESSAGE-PRESENT',
    'fail ST-ENVELOPE-REQUEST-ID-PRESENT',
    'fail ST-UNKNOWN-FIELDS',
  ]);
  expect(report.exitCode).toBe(0);
});

test('a gateway that does not accept forms passes: the rule about signed forms does not apply', async () => {
  const { report, others } = await check({ forms: 'refused' }, { only: ['GW-FORWARD', 'AU-'] });
  expect(others).toEqual(['disabled AU-TC3-MULTIPART']);
  expect(report.exitCode).toBe(0);
});

test('flat responses pass if the wire profile says so, and the verdict mentions it', async () => {
  const wireProfile = { envelope: 'flat', copyPaths: 'relative' };
  const engines = ['respect', 'dredd'];
  const flat: Partial<Choices> = { ...KEPT, envelope: 'flat' };
  const { report, others } = await check(flat, { wireProfile, only: [...only, ...engines] });
  // What only an envelope has.
  expect(others).toEqual([
    'disabled ST-COPY-STATUS-CODE',
    'disabled ST-ENVELOPE-BODY',
    'disabled ST-ENVELOPE-STATUS-CODE',
    'disabled ST-ENVELOPE-SUCCESS',
  ]);
  expect(report.exitCode).toBe(0);
  expect(toSummaryLine(report)).toContain('· declared: flat responses ·');
});

test('flat responses fail the rules of the envelope if the wire profile does not say so', async () => {
  const { report, others } = await check({ envelope: 'flat' }, { only: ['ST-ENVELOPE', 'dredd'] });
  expect(report.exitCode).toBe(1);
  expect(others).toEqual(
    expect.arrayContaining([
      'fail ST-ENVELOPE-BODY',
      'fail ST-ENVELOPE-STATUS-CODE',
      'fail storage getUploadMetaData 200 application/json',
    ]),
  );
});

test('responses with an envelope fail if the wire profile says flat', async () => {
  const { report, others } = await check(KEPT, {
    ...{ wireProfile: { envelope: 'flat' }, only: ['ST-ENVELOPE'] },
  });
  expect(report.exitCode).toBe(1);
  expect(others).toContain('fail ST-ENVELOPE-DATA');
});

test("our servers pass with another vendor's names and forms, and only with their wire profile", async () => {
  const wireProfile = { ...acme, envelope: 'flat', copyPaths: 'relative' };
  for (const start of [startReference, startMock]) {
    const { options, close } = await start({ wireProfile });
    const run = (more: Partial<ConformanceOptions>) =>
      createConformance({ ...options, ...more }).run();
    try {
      const engines = start === startReference ? ['respect', 'dredd'] : [];
      const rules = ['ST-META', 'ST-ENVELOPE', 'ST-COPY-CALL', 'UP-FORM', 'GW-ERROR'];
      const passed = await run({ only: [...rules, ...engines] });
      expect([passed.exitCode, passed.summary.fail]).toEqual([0, 0]);
      const failed = await run({ wireProfile: undefined, only: ['ST-META', 'UP-FORM'] });
      expect(failed.exitCode).not.toBe(0);
    } finally {
      await close();
    }
  }
});
