import { relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

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
