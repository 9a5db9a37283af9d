import { chmod, mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from '../page/find-pages.ts';
import { COMMAND_LINES } from '../shell/command-lines.ts';

const OWN = join(import.meta.dirname, '../../node_modules');

/**
 * Prepares a folder in which pages can be run. It contains `node_modules` with the packages that pages
 * install, and `commands` with versions of `npx`, `npm install` and `curl` that need no network.
 */
export async function makeBench(folder: string): Promise<{ commands: string }> {
  const commands = join(folder, 'commands');
  await mkdir(commands, { recursive: true });
  for (const modules of [OWN, join(ROOT, 'node_modules')])
    await linkAll(modules, join(folder, 'node_modules'));
  const tools = `vitest) exec vitest "$@" ;;\n  tsc) exec tsc "$@" ;;`;
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
  ${[...ours, tools].join('\n  ')}
  *) echo "npx: $name is not available to the pages" >&2; exit 1 ;;
esac`,
  );
  await put(
    'npm',
    `case $1 in install | i) ;; *) PATH=\${PATH#*:} exec npm "$@" ;; esac
shift
for name; do
  case $name in -*) continue ;; esac
  [ -e '${folder}/node_modules/'"$name" ] || { echo "npm: $name is not available to the pages" >&2; exit 1; }
done`,
  );
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
  return { commands };

  async function put(name: string, script: string): Promise<void> {
    await writeFile(join(commands, name), `#!/bin/sh\n${script}\n`);
    await chmod(join(commands, name), 0o755);
  }
}

/** Links the packages in one `node_modules` into another, and those in a scope one by one. */
async function linkAll(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true });
  for (const name of await readdir(from)) {
    if (name.startsWith('.')) continue;
    if (name.startsWith('@')) await linkAll(join(from, name), join(to, name));
    else await symlink(join(from, name), join(to, name)).catch(ignoreTwice);
  }
}

function ignoreTwice(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error;
}
