import { relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

/** As much of an error as tells what failed; the whole stands where the test ran. */
const MAX_LINES = 12;

/**
 * What failed in a package, from the reports of its tests: file, name and error of each.
 *
 * @param {string} folder the package's, absolute: files are named from there
 * @param {{ testResults: object[] }} report of Vitest's JSON reporter
 * @param {readonly string[]} unhandled errors that no test has waited for
 * @returns {string[]} one text for each test, for a file that could not be run, and for such an error
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
  return [
    ...failures,
    ...unhandled.map((error) => toText('an error that no test waited for', error)),
  ];
}

function toText(title, message) {
  const lines = stripVTControlCharacters(message).trim().split('\n').slice(0, MAX_LINES);
  return [title, ...lines.map((line) => `    ${line}`)].join('\n');
}
