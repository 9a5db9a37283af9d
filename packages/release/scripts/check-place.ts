// Runs before a release is published, because npm accepts a provenance statement only if `repository` is
// the workflow's repository.
import { listPublished } from '../src/list-published.ts';
import { namesItsPlace } from '../src/tarball/find-problems.ts';

const missing = listPublished().filter(({ manifest }) => !namesItsPlace(manifest));
for (const { folder } of missing) {
  process.stderr.write(
    `${folder}/package.json has no "repository", "homepage" and "bugs": see Releases in CONTRIBUTING.md.\n`,
  );
}
process.exitCode = missing.length > 0 ? 2 : 0;
