import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { DOCUMENTS } from './generate/read.ts';

const CLI = join(
  dirname(createRequire(import.meta.url).resolve('@redocly/cli/package.json')),
  'bin/cli.js',
);

interface Diff {
  /** Absent if nothing has changed, or only `info.version`. */
  readonly bump?: string;
  readonly infoVersions: { readonly base: string };
}

/**
 * Compares the documents with those of the last release, and returns a sentence for each whose `info.version` is
 * too low for its changes. A document that was never released may change.
 *
 * @param released folder with the documents of the last release
 * @param current folder with the documents
 */
export async function findVersionProblems(released: string, current: string): Promise<string[]> {
  const problems: string[] = [];
  for (const name of DOCUMENTS) {
    const base = join(released, `${name}.yaml`);
    if (!existsSync(base)) continue;
    const { isHighEnough, bump, infoVersions } = await diff(base, join(current, `${name}.yaml`));
    if (isHighEnough) continue;
    const advice =
      bump === 'major'
        ? 'A breaking change needs a new path prefix in addition to the old one (D29).'
        : `Raise info.version in spec/${name}.yaml.`;
    problems.push(
      `${name}: the changes since ${infoVersions.base} require a ${bump} version. ${advice}`,
    );
  }
  return problems;
}

/** Runs `redocly diff`, which rates each change. */
function diff(base: string, revision: string): Promise<Diff & { isHighEnough: boolean }> {
  const options = ['--format', 'json', '--check-version', '--fail-on', 'none'];
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  return new Promise((resolve, reject) => {
    // Redocly reads its configuration in the working directory.
    const settings = { cwd: import.meta.dirname, env, maxBuffer: 2 ** 26 };
    const args = [CLI, 'diff', base, revision, ...options];
    execFile(process.execPath, args, settings, (error, stdout, stderr) => {
      if (!stdout.startsWith('{')) reject(new Error(`Cannot compare ${revision}:\n${stderr}`));
      else resolve({ ...(JSON.parse(stdout) as Diff), isHighEnough: error === null });
    });
  });
}
