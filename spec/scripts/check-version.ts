// A change of the contract shows in four places: the document, its `info.version`, a pending changeset of
// @berth/spec, and a release of all that is made from it. This check holds them to one another (decision
// D29).

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import getReleasePlan from '@changesets/get-release-plan';
import { findPendingBump } from './check/pending-bump.ts';
import { findReleaseProblems } from './check/release-problems.ts';
import { findVersionProblems } from './check/version-problems.ts';

const ROOT = join(import.meta.dirname, '../..');

const { changesets, releases } = await getReleasePlan(ROOT);
const { linked } = JSON.parse(await readFile(join(ROOT, '.changeset/config.json'), 'utf8'));
const problems = [
  ...(await findVersionProblems('released', 'generated', findPendingBump(changesets))),
  ...findReleaseProblems(releases, linked.flat()),
];
for (const problem of problems) process.stdout.write(`${problem}\n`);
process.exitCode = problems.length > 0 ? 1 : 0;
