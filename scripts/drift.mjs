// Generated files that do not fit their sources are red. All of them are removed and generated anew;
// what then differs from what stood there was stale, edited by hand, or left over.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ROOT, runSource } from './process.mjs';
import { listWorkspaces } from './workspaces.mjs';

const GENERATED = ['*/generated/*', 'docs/reference/*.md'];
const GENERATORS = listWorkspaces()
  .map((folder) => ({ folder, file: `${folder}/scripts/generate.ts` }))
  .filter(({ file }) => existsSync(join(ROOT, file)));

const before = read();
for (const file of before.keys()) rmSync(join(ROOT, file));
const code = await generate();
if (code !== 0) {
  write(before);
  process.exit(code);
}
const after = read();
const drifted = [...new Set([...before.keys(), ...after.keys()])]
  .filter((file) => before.get(file) !== after.get(file))
  .sort();
if (drifted.length > 0) {
  console.error(`These generated files do not fit their sources:\n  ${drifted.join('\n  ')}`);
  console.error(
    'They have now been generated anew (npm run generate): look at them and commit them.',
  );
  process.exit(1);
}
console.log(`${after.size} generated files fit their sources.`);

/** The later generators read what the first one writes. */
async function generate() {
  for (const { folder, file } of GENERATORS) {
    const code = await runSource(file, [], { cwd: join(ROOT, folder) });
    if (code !== 0) return code;
  }
  return 0;
}

function read() {
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--', ...GENERATED];
  const files = execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).split('\0');
  const present = files.filter((file) => file && existsSync(join(ROOT, file)));
  return new Map(present.map((file) => [file, readFileSync(join(ROOT, file), 'utf8')]));
}

function write(files) {
  for (const [file, text] of files) {
    mkdirSync(dirname(join(ROOT, file)), { recursive: true });
    writeFileSync(join(ROOT, file), text);
  }
}
