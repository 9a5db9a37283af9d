import { existsSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { ENGINES, INSTALL_ADVICE } from './engines.mjs';
import { listWorkspaces, ROOT } from './process.mjs';

/**
 * Prints the test results by package, the totals, and the failures. They come last, because CI logs are cut off at the beginning.
 *
 * @returns {number} the number of failed tests
 */
export function printTotals() {
  const rows = listWorkspaces()
    .map((name) => ({
      name,
      report: readReport(name, 'vitest.json'),
      unhandled: readReport(name, 'unhandled.json') ?? [],
    }))
    .filter(({ report }) => report);
  const sum = [0, 0, 0];
  for (const { name, report } of rows) {
    const { numPassedTests, numFailedTests, numPendingTests, numTodoTests } = report;
    const counts = [numPassedTests, numFailedTests, numPendingTests + numTodoTests];
    for (const [index, count] of counts.entries()) sum[index] += count;
    printCounts(name, counts);
  }
  printCounts('All tests', sum);
  const reasons = countReasons(rows);
  for (const [reason, count] of reasons) console.log(`*** ${count} skipped: ${reason}`);
  const isMissing = ({ title }) => reasons.has(`${title} is not installed`);
  if (Object.values(ENGINES).some(isMissing)) console.log(`*** ${INSTALL_ADVICE}`);
  for (const { name, report, unhandled } of rows) {
    for (const failure of listFailures(join(ROOT, name), report, unhandled)) {
      console.log(`FAILED ${name}/${failure}`);
    }
  }
  return sum[1];
}

function readReport(name, report) {
  const file = join(ROOT, name, '.reports', report);
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
}

/** Counts the reasons in the titles of skipped tests: `(skipped: Ceph is not installed)`. */
function countReasons(rows) {
  const tests = rows.flatMap(({ report }) =>
    report.testResults.flatMap(({ assertionResults }) => assertionResults),
  );
  const reasons = new Map();
  for (const { status, fullName } of tests) {
    const reason = /\(skipped: (.+?)\)/.exec(fullName)?.[1];
    if (reason && status !== 'passed') reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
  }
  return reasons;
}

function printCounts(name, [passed, failed, skipped]) {
  console.log(`${name.padEnd(24)} ${passed} passed, ${failed} failed, ${skipped} skipped`);
}

/** How many lines of an error to print. The complete error is in the test output. */
const MAX_LINES = 12;

/**
 * Lists a package's failures from its test reports, with the file, name and error of each.
 *
 * @param {string} folder absolute path of the package; file names are relative to it
 * @param {{ testResults: object[] }} report from Vitest's JSON reporter
 * @param {readonly string[]} unhandled errors outside any test
 * @returns {string[]} one text for each failed test, each file that could not run, and each unhandled error
 */
export function listFailures(folder, report, unhandled) {
  const failures = report.testResults
    .filter(({ status }) => status === 'failed')
    .flatMap(({ name, message, assertionResults }) => {
      const file = relative(folder, name);
      const failed = assertionResults.filter(({ status }) => status === 'failed');
      if (failed.length === 0) return [toFailure(file, message)];
      return failed.map((test) =>
        toFailure(`${file} › ${test.fullName}`, test.failureMessages.join('\n')),
      );
    });
  return [...failures, ...unhandled.map((error) => toFailure('unhandled error', error))];
}

function toFailure(title, message) {
  const lines = stripVTControlCharacters(message).trim().split('\n').slice(0, MAX_LINES);
  return [title, ...lines.map((line) => `    ${line}`)].join('\n');
}
