import { chmod, mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from '../page.ts';
import { COMMAND_LINES } from '../shell/command-lines.ts';

const OWN = join(import.meta.dirname, '../../node_modules');

/** Programs of other packages that pages run with `npx`. */
const TOOLS = ['msw', 'tsc', 'vite'];

/** Ends a test that hangs; the default of Vitest is 5 s, which a busy machine exceeds. */
const LIMIT_MS = 600_000;

/**
 * Prepares a folder in which pages can be run. It contains `node_modules` with the packages that pages
 * install, and `commands` with versions of `npx`, `npm install` and `curl` that need no network.
 */
export async function makeBench(folder: string): Promise<{ commands: string }> {
  const { commands, put } = await makeCommands(folder);
  for (const modules of [OWN, join(ROOT, 'node_modules')])
    await linkAll(modules, join(folder, 'node_modules'));
  const bin = join(folder, 'node_modules/.bin');
  const tools = TOOLS.map((name) => `${name}) exec '${bin}/${name}' "$@" ;;`);
  const ours = [...COMMAND_LINES].map(([name, cli]) => `${name}) exec node '${cli}' "$@" ;;`);
  await put(
    'npx',
    `while :; do
  case $1 in --yes) shift ;; -p) shift 2 ;; *) break ;; esac
done
name=$1
shift
case $name in ?*@*) name=\${name%@*} ;; esac
case $name in
  ${[...ours, ...tools].join('\n  ')}
  vitest) exec '${bin}/vitest' "$@" --testTimeout=${LIMIT_MS} --hookTimeout=${LIMIT_MS} ;;
  *) echo "npx: $name is not available to the pages" >&2; exit 1 ;;
esac`,
  );
  await put(
    'npm',
    `case $1 in
  install | i) ;;
  *) PATH=\${PATH#*:} exec npm "$@" ;;
esac
shift
for name; do
  case $name in -*) continue ;; esac
  [ -e '${folder}/node_modules/'"$name" ] || { echo "npm: $name is not available to the pages" >&2; exit 1; }
done`,
  );
  return { commands };
}

/**
 * Prepares a folder with the command that pages need wherever they run: a `curl` that finds what listens on the
 * ports of the page.
 *
 * @returns the folder, and a function that adds another command to it
 */
async function makeCommands(folder: string) {
  const commands = join(folder, 'commands');
  await mkdir(commands, { recursive: true });
  const put = async (name: string, script: string): Promise<void> => {
    await writeFile(join(commands, name), `#!/bin/sh\n${script}\n`);
    await chmod(join(commands, name), 0o755);
  };
  await put(
    'curl',
    `for file in "$PAGE_PORTS"/*; do
  [ -e "$file" ] || continue
  port=\${file##*/}
  for host in 127.0.0.1 localhost; do
    set -- --connect-to "$host:$port:127.0.0.1:$(cat "$file")" "$@"
  done
done
PATH=\${PATH#*:} exec curl -sS $PAGE_CURL "$@"`,
  );
  return { commands, put };
}

/** Links the packages in one `node_modules` into another, those in a scope and programs of others one by one. */
async function linkAll(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true });
  for (const name of await readdir(from)) {
    if ((name.startsWith('.') && name !== '.bin') || name.startsWith('berth')) continue;
    if (name.startsWith('@') || name === '.bin') await linkAll(join(from, name), join(to, name));
    else await symlink(join(from, name), join(to, name)).catch(ignoreTwice);
  }
}

function ignoreTwice(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error;
}
