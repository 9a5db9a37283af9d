import { cp } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { rolldown } from 'rolldown';

const PAGE = join(import.meta.dirname, '../api');

const { resolve } = createRequire(import.meta.url);

/** Writes the API reference to `api` in a folder that is served as is, and the service worker beside it. */
export async function stageApiPage(folder: string): Promise<void> {
  const to = join(folder, 'api');
  const scalar = join(dirname(resolve('@scalar/api-reference')), 'browser');
  await cp(PAGE, to, { recursive: true, filter: (file) => !file.endsWith('.ts') });
  await cp(scalar, join(to, 'scalar'), {
    recursive: true,
    filter: (file) => !file.endsWith('.map'),
  });
  await cp(resolve('msw/mockServiceWorker.js'), join(folder, 'mockServiceWorker.js'));
  const bundle = await rolldown({
    input: join(PAGE, 'page.ts'),
    platform: 'browser',
    resolve: { conditionNames: ['berth-source', 'browser', 'import'] },
    external: '@scalar/api-reference',
  });
  await bundle.write({
    dir: to,
    minify: true,
    paths: { '@scalar/api-reference': './scalar/standalone.esm.js' },
  });
}
