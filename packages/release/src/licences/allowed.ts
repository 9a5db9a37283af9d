/**
 * SPDX ids of the licences that dependencies of a published package may have: those that ask for no more
 * than a notice.
 */
export const ALLOWED = [
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'ISC',
  'LicenseRef-Public-Domain',
  'MIT',
  'Python-2.0',
  'Unlicense',
  'WTFPL',
] as const;

/** What the files of a version say, where its manifest has no SPDX id: somebody has read them. */
export const READ_IN_FILES: Readonly<Record<string, (typeof ALLOWED)[number]>> = {
  'cycle@1.0.3': 'LicenseRef-Public-Domain', // "Public Domain." in cycle.js
  'html@1.0.0': 'MIT', // LICENSE; its manifest says "BSD"
  'optimist@0.6.1': 'MIT', // LICENSE; its manifest says "MIT/X11"
  'tv4@1.3.0': 'MIT', // "Public Domain OR MIT", and the first is no SPDX id
};
