// `npm run <task>`: runs a task in turbo.json. With arguments, `conformance` and `bench` run
// directly, because their output must not come from the cache. So does `dev`, to keep its output easy to
// paste, and `docs`, which previews the site.
import { join, resolve } from 'node:path';
import { install } from './install.mjs';
import { packAll } from './pack.mjs';
import { endWithNpm, lint, ROOT, run, runSource, turbo } from './process.mjs';

if (['dev', 'docs'].includes(process.argv[2])) endWithNpm();
await install();
const [task, ...args] = process.argv.slice(2);
process.exit(await runTask());

async function runTask() {
  const cwd = process.env.INIT_CWD ?? process.cwd();
  if (task === 'conformance' && args.length > 0) {
    return runSource('packages/conformance/src/cli.ts', args, { cwd });
  }
  if (task === 'bench') {
    const built = await turbo('build', '--output-logs=errors-only');
    return built || (await run('node', [join(ROOT, 'bench/cli.ts'), ...args], { cwd }));
  }
  if (task === 'pack')
    return packAll(args.map((arg, index) => (index === 0 ? resolve(cwd, arg) : arg)));
  if (task === 'house') return run('node', [join(ROOT, 'scripts/house.mjs')]);
  if (task === 'dev') {
    const generated = await turbo('generate', '--output-logs=errors-only', '--log-order=grouped');
    const cli = join(ROOT, 'packages/mock/src/cli.ts');
    return generated || run('node', ['--watch', '--conditions=berth-source', cli, ...args]);
  }
  if (task === 'docs') {
    const generated = await turbo('generate', '--output-logs=errors-only');
    const cwd = join(ROOT, 'docs');
    return generated || run('node', ['--conditions=berth-source', 'scripts/preview.ts'], { cwd });
  }
  if (task === 'lint') return (await lint()) || turbo('lint', ...args);
  if (task === 'typecheck') return (await run('tsc', [])) || turbo('typecheck', ...args);
  if (task === 'check') return (await lint()) || (await run('tsc', [])) || turbo('check');
  return turbo(task, ...args);
}
