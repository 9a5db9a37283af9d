// A change of the contract shows in three places: the document, its `info.version`, and a pending
// changeset of @berth/spec. This check holds them to one another (decision D29).

import { join } from 'node:path';
import getReleasePlan from '@changesets/get-release-plan';
import { findPendingBump } from './check/pending-bump.ts';
import { findVersionProblems } from './check/version-problems.ts';

const { changesets } = await getReleasePlan(join(import.meta.dirname, '../..'));
const problems = await findVersionProblems('released', 'generated', findPendingBump(changesets));
for (const problem of problems) process.stdout.write(`${problem}\n`);
process.exitCode = problems.length > 0 ? 1 : 0;
