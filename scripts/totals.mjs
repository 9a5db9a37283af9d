import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ENGINES, INSTALL_ADVICE } from './engines.mjs';
import { listFailures } from './failures.mjs';
import { ROOT } from './process.mjs';
import { listWorkspaces } from './workspaces.mjs';

/**
 * Prints the test results by package, the totals, and the failures. They come last, because CI logs are cut off at the beginning.
 *
 * @returns {number} the number of failed tests
 */
export function printTotals() {
  const rows = listWorkspaces().map((name) => ({
    name,
    report: readReport(name, 'vitest.json'),
    unhandled: readReport(name, 'unhandled.json'),
  }));
  const sum = { passed: 0, failed: 0, skipped: 0 };
  for (const { name, report } of rows.filter((row) => row.report)) {
    const counts = toCounts(report);
    for (const key of Object.keys(sum)) sum[key] += counts[key];
    console.log(`${name.padEnd(24)} ${toText(counts)}`);
  }
  console.log(`${'All tests'.padEnd(24)} ${toText(sum)}`);
  const reasons = countReasons(rows);
  for (const [reason, count] of reasons) console.log(`*** ${count} skipped: ${reason}`);
  const isMissing = ({ title }) => reasons.has(`${title} is not installed`);
  if (Object.values(ENGINES).some(isMissing)) console.log(`*** ${INSTALL_ADVICE}`);
  for (const { name, report, unhandled } of rows.filter((row) => row.report)) {
    for (const failure of listFailures(join(ROOT, name), report, unhandled ?? [])) {
      console.log(`FAILED ${name}/${failure}`);
    }
  }
  return sum.failed;
}

function readReport(name, report) {
  const file = join(ROOT, name, '.reports', report);
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
}

function toCounts({ numPassedTests, numFailedTests, numPendingTests, numTodoTests }) {
  return {
    passed: numPassedTests,
    failed: numFailedTests,
    skipped: numPendingTests + numTodoTests,
  };
}

/** Counts the reasons in the titles of skipped tests: `(skipped: Ceph is not installed)`. */
function countReasons(rows) {
  const tests = rows.flatMap(({ report }) =>
    (report?.testResults ?? []).flatMap(({ assertionResults }) => assertionResults),
  );
  const reasons = new Map();
  for (const { status, fullName } of tests) {
    const reason = /\(skipped: (.+?)\)/.exec(fullName)?.[1];
    if (reason && status !== 'passed') reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
  }
  return reasons;
}

function toText({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed, ${skipped} skipped`;
}
