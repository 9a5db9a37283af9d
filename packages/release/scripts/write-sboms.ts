// `node scripts/write-sboms.ts FOLDER`: writes one CycloneDX document per published package.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { listPublished, ROOT } from '../src/list-published.ts';

/**
 * Writes a CycloneDX document for each published package, which lists its production dependencies from the
 * lockfile.
 *
 * @param folder created if it does not exist
 * @returns the absolute paths, such as `…/berth-client.cdx.json`
 */
export function writeSboms(folder: string): string[] {
  const place = resolve(folder);
  mkdirSync(place, { recursive: true });
  const filters = listPublished().flatMap(({ manifest }) => ['--filter', manifest.name]);
  const format = ['--sbom-format', 'cyclonedx', '--sbom-spec-version', '1.6'];
  const out = ['--split', '--out', join(place, '%s.cdx.json')];
  execFileSync('pnpm', ['sbom', ...format, '--prod', ...out, ...filters], { cwd: ROOT });
  return readdirSync(place).map((name) => join(place, name));
}

if (import.meta.main) {
  const [, , folder = 'sboms'] = process.argv;
  for (const file of writeSboms(folder)) process.stdout.write(`${file}\n`);
}
