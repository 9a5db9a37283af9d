import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { COMPILERS, createFreshProject, NODE_20 } from './support/fresh-project.ts';
import { bodyOf, respond, serve } from './support/loopback.ts';

let project: Awaited<ReturnType<typeof createFreshProject>>;
let server: Awaited<ReturnType<typeof serve>>;
let uploaded = '';

beforeAll(async () => {
  project = await createFreshProject();
  server = await serve(async (request, response) => {
    const body = String(await bodyOf(request));
    response.setHeader('Access-Control-Allow-Origin', '*');
    if (request.url === '/target') {
      uploaded = body;
      return response.writeHead(204).end();
    }
    if (!request.url?.endsWith(':getUploadMetaData')) return respond(response, { at: request.url });
    const data = {
      url: `${server.url}/target`,
      token: 't',
      authorization: 'a',
      fileID: 'id',
      storeFileID: 's',
    };
    respond(response, { statusCode: 200, body: { requestId: 'r', data } });
  });
});
afterAll(async () => {
  await project.remove();
  await server[Symbol.asyncDispose]();
});

/** Makes a call, a raw call and an upload, to cover what is loaded immediately and what is loaded later. */
const program = () => `
  import { createGatewayClient, createStorageClient } from '@berth/client';
  const baseUrl = '${server.url}';
  const gateway = createGatewayClient({ baseUrl });
  const { at } = await gateway.service('hello').get('a/b?x=1');
  const { data } = await gateway.GET('/v1/cloudrun/{name}', { params: { path: { name: 'x' } } });
  const credentials = { authorization: 'a', timestamp: 1 };
  const storage = createStorageClient({ baseUrl, envId: 'dev', credentials });
  const { fileID } = await storage.upload('a.txt', new Blob(['Hello of a page']));
  console.log(at, data.at, fileID);`;
const PRINTED = '/v1/cloudrun/hello/a/b?x=1 /v1/cloudrun/x id\n';

const STRICT = {
  noEmit: true,
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: false,
  target: 'es2023',
};
const BROWSER = { lib: ['es2023', 'dom', 'dom.iterable'], types: [] };

const TYPED = `import { createGatewayClient, createStorageClient, isStorageError } from '@berth/client';
   const credentials = { authorization: 'a', timestamp: 1 };
   const storage = createStorageClient({ baseUrl: 'https://s.example', envId: 'dev', credentials });
   export const id: string = (await storage.upload('a.txt', new Blob(['a']))).fileID;
   const gateway = createGatewayClient({ baseUrl: 'https://g.example' });
   export const user = await gateway.service('users').get<{ name: string }>('7');
   export const name: string = user.name;
   // @ts-expect-error: a wrong name
   await storage.upload('a.txt', 'b', { contenType: 'text/plain' });
   export const code = (error: unknown) => isStorageError(error) && error.code;`;

const TYPED_ENTRIES = `import { createGatewayClient, createStorageClient } from '@berth/client';
   import { mswHandlers, gatewayError } from '@berth/client/msw';
   import { createGatewayQueries, createStorageQueries } from '@berth/client/react-query';
   const gateway = createGatewayQueries(createGatewayClient({ baseUrl: 'https://g.example' }));
   const user = gateway.service('users').get<{ name: string }>('7');
   export const name: Promise<{ name: string }> = user.queryFn({ signal: new AbortController().signal });
   const credentials = { authorization: 'a', timestamp: 1 };
   const storage = createStorageClient({ baseUrl: 'https://s.example', envId: 'dev', credentials });
   export const files = createStorageQueries(storage);
   const berth = mswHandlers({ baseUrl: 'https://api.example.com' });
   export const handlers = [
     berth.service('users').get('7', () => gatewayError('SERVICE_NOT_READY')),
     ...berth.handlers,
   ];`;

/** Of a service whose responses have the format of `at`, but no price. */
const DOCUMENT = `openapi: 3.1.1
info: { title: Orders, version: 1.0.0 }
paths:
  /good: { get: { responses: { '200': { description: '', content: { application/json: { schema: { $ref: '#/components/schemas/Place' } } } } } } }
  /bad: { get: { responses: { '200': { description: '', content: { application/json: { schema: { type: object, required: [price] } } } } } } }
components:
  schemas:
    Place: { type: object, required: [at], properties: { at: { type: string, format: uri-reference } } }
`;
const CHECKED = `import { createGatewayClient } from '@berth/client';
  import type { Services } from './services.gen.ts';
  import { validators } from './services.validators.gen.ts';
  const gateway = createGatewayClient<Services>({ baseUrl: process.argv[2] ?? '', validators });
  const orders = gateway.service('orders');
  const { data } = await orders.GET('/good');
  const at: string | undefined = data?.at;
  console.log(at);
  // @ts-expect-error: the document has no such path
  export const wrong = () => orders.GET('/wrong');
  const error = await orders.GET('/bad').then(() => new Error(), (reason: Error) => reason);
  console.log(error.name, error.message.includes('price: is missing'));`;

describe('the packed client', () => {
  it('works in a production build of Vite', async () => {
    await project.write('index.html', '<script type="module" src="./app.js"></script>');
    await project.write('app.js', program());
    // Vite's preload code needs a page; everything else is the default.
    await project.write('vite.config.js', 'export default { build: { modulePreload: false } };');
    const vite = join(import.meta.dirname, '../node_modules/vite/bin/vite.js');
    const output = await project.run(process.execPath, vite, 'build', '--outDir', 'site');
    expect(output).not.toMatch(/externalized|warn/i);
    const assets = join(project.folder, 'site/assets');
    const names = (await readdir(assets)).filter((name) => name.endsWith('.js'));
    for (const name of names) {
      expect(await readFile(join(assets, name), 'utf8'), name).not.toMatch(/["']node:|\bBuffer\b/);
    }
    const entry = names.find((name) => name.startsWith('index-')) ?? '';
    expect(await project.run(process.execPath, join(assets, entry))).toBe(PRINTED);
    expect(uploaded).toContain('Hello of a page');
  });

  it.each([
    ['browsers', []],
    ['Node', ['node']],
  ])('has no module for %s that imports itself: Rollup warns of it', async (_, conditions) => {
    const logs: string[] = [];
    const build = await rolldown({
      input: ['index.js', 'msw/index.js', 'react-query/index.js'].map((name) =>
        join(project.installed, 'dist', name),
      ),
      resolve: { conditionNames: [...conditions, 'import', 'default'] },
      // Only the modules of this package.
      external: /^node:|^[@\w][^:]*$/,
      checks: { circularDependency: true },
      onLog: (_, { message }) => logs.push(message),
    });
    await build.generate();
    expect(logs).toEqual([]);
  });

  describe.each(Object.entries(COMPILERS))('in strict TypeScript %s', (version, tsc) => {
    const check = async (files: readonly string[], compilerOptions: object) => {
      const config = { compilerOptions: { ...STRICT, ...compilerOptions }, files };
      await project.write('tsconfig.json', JSON.stringify(config));
      return project.run(process.execPath, tsc, '-p', '.');
    };

    it(`is the compiler ${version}`, () => {
      const { version: installed } = createRequire(tsc)('../package.json');
      expect(installed).toMatch(new RegExp(`^${version}\\.`));
    });

    // The newest compiler checks everything. Older ones take seconds for the libraries, which `npm run soak` adds.
    const older = process.env.BERTH_SOAK ? [1, 2] : [2];
    const projectsOf: Record<string, readonly number[]> = { 5: older, 6: older, 7: [0, 1, 2] };
    const projects: [string, string[], object][] = [
      // Only the module resolution differs from the next case, which checks the libraries too.
      ['a browser', ['main.ts'], { ...BROWSER, module: 'nodenext', skipLibCheck: true }],
      [
        'a browser with a bundler, React and MSW',
        ['main.ts', 'entries.ts'],
        { ...BROWSER, module: 'esnext', moduleResolution: 'bundler' },
      ],
      ['Node', ['main.ts'], { lib: ['es2023'], types: ['node'], module: 'nodenext' }],
    ];
    it.each(projects.filter((_, index) => projectsOf[version]?.includes(index)))(
      'is typed in a project of %s',
      async (_, files, options) => {
        await project.write('main.ts', TYPED);
        await project.write('entries.ts', TYPED_ENTRIES);
        expect(await check(files, options)).toBe('');
      },
    );
  });

  it('writes types and validators of a service, which check its responses', async () => {
    await project.install('server-stubs');
    await project.write('orders.openapi.yaml', DOCUMENT);
    const command = join(project.installed, 'dist/cli.js');
    const output = ['orders.openapi.yaml', '-o', 'services.gen.ts', '--validate'];
    await project.run(NODE_20, command, 'types', ...output);
    await project.write('checked.ts', CHECKED);
    const files = ['checked.ts'];
    const compilerOptions = { ...STRICT, ...BROWSER, module: 'nodenext', types: ['node'] };
    const importing = { allowImportingTsExtensions: true, skipLibCheck: true };
    const config = { compilerOptions: { ...compilerOptions, ...importing }, files };
    await project.write('tsconfig.json', JSON.stringify(config));
    expect(await project.run(process.execPath, COMPILERS[7] ?? '', '-p', '.')).toBe('');
    expect(await project.run(process.execPath, 'checked.ts', server.url)).toBe(
      '/v1/cloudrun/orders/good\nContractError true\n',
    );
  });
});
