import { relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

/** Lines of an error to print. The complete error is in the output of the test. */
const MAX_LINES = 12;

/**
 * The failures of a package, from its test reports: file, name and error of each.
 *
 * @param {string} folder absolute path of the package; files are named relative to it
 * @param {{ testResults: object[] }} report of Vitest's JSON reporter
 * @param {readonly string[]} unhandled errors outside of any test
 * @returns {string[]} a text per failed test, per file that could not run, and per unhandled error
 */
export function listFailures(folder, report, unhandled) {
  const failures = report.testResults
    .filter(({ status }) => status === 'failed')
    .flatMap(({ name, message, assertionResults }) => {
      const file = relative(folder, name);
      const failed = assertionResults.filter(({ status }) => status === 'failed');
      if (failed.length === 0) return [toText(file, message)];
      return failed.map((test) =>
        toText(`${file} › ${test.fullName}`, test.failureMessages.join('\n')),
      );
    });
  return [...failures, ...unhandled.map((error) => toText('unhandled error', error))];
}

function toText(title, message) {
  const lines = stripVTControlCharacters(message).trim().split('\n').slice(0, MAX_LINES);
  return [title, ...lines.map((line) => `    ${line}`)].join('\n');
}
