import { listPublished } from '../src/list-published.ts';
import { rehearse } from '../src/rehearsal/rehearse.ts';
import { namesItsPlace } from '../src/tarball/find-problems.ts';

const started = performance.now();
const seconds = () => `${((performance.now() - started) / 1000).toFixed(1).padStart(6)} s`;
const say = (text: string) => process.stdout.write(`${seconds()}  ${text}\n`);

try {
  await rehearse(say);
  say('the release works');
  if (!listPublished().every(({ manifest }) => namesItsPlace(manifest))) {
    say(
      'no package has a repository field yet, which npm needs for provenance (CONTRIBUTING, Releases)',
    );
  }
} catch (error) {
  process.stderr.write(`${seconds()}  the release does not work:\n${(error as Error).message}\n`);
  process.exitCode = 1;
}
// Verdaccio leaves timers behind.
process.exit();
