import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** MIT license. Contains ten variants, 390 MB unpacked, of which only one file is needed. */
const PACKAGE = '@octokit/openapi@23.0.2';
const FILE = 'package/generated/api.github.com.json';
const CACHE = join(import.meta.dirname, '../../node_modules/.cache/octokit-openapi-23.0.2');

/** Returns GitHub's OpenAPI document, which is downloaded from the npm registry the first time. */
export async function readGithubDocument(): Promise<string> {
  const file = join(CACHE, FILE);
  if (!existsSync(file)) await fetchDocument();
  return readFile(file, 'utf8');
}

async function fetchDocument(): Promise<void> {
  const run = promisify(execFile);
  const part = `${CACHE}.part`;
  await rm(part, { recursive: true, force: true });
  await mkdir(part, { recursive: true });
  const { stdout } = await run('npm', ['pack', PACKAGE, '--silent', '--pack-destination', part]);
  const archive = stdout.trim().split('\n').at(-1) ?? '';
  await run('tar', ['-xzf', archive, FILE], { cwd: part });
  await rm(join(part, archive));
  await rename(part, CACHE);
}
