import { randomBytes } from 'node:crypto';
import { cp, readdir, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { routes as gateway } from '../../src/generated/gateway.v1/routes.gen.ts';
import { routes as storage } from '../../src/generated/storage.v2/routes.gen.ts';
import type { Route } from '../../src/runtime/route-table.ts';
import { makeFolder, PACKAGE_ROOT, readManifest } from '../files.ts';
import { toKey, toVariableName } from '../names.ts';

const TEMPLATE = 'generator/init/template';

export class FolderNotEmpty extends Error {
  override readonly name = 'FolderNotEmpty';

  constructor(folder: string) {
    super(`${folder} is not empty: choose another folder, or pass --force to overwrite its files.`);
  }
}

/** Creates a small Express project that starts as is, and passes its own test. */
export async function initProject(folder: string, { force = false } = {}): Promise<string> {
  const root = resolve(folder);
  await makeFolder(root);
  if (!force && (await readdir(root)).length > 0) throw new FolderNotEmpty(folder);
  await cp(join(PACKAGE_ROOT, TEMPLATE), root, { recursive: true });
  await writeHandlers(root);
  await write(
    root,
    'package.json',
    `${JSON.stringify(toManifest(root, readManifest().version), null, 2)}\n`,
  );
  await write(root, '.gitignore', 'node_modules/\n.env\n');
  await write(root, '.env', `DEV_TOKEN=${randomBytes(24).toString('base64url')}\n`, 0o600);
  return root;
}

const HANDLERS = 'src/handlers';

async function writeHandlers(root: string): Promise<void> {
  const known = await readdir(join(PACKAGE_ROOT, TEMPLATE, HANDLERS));
  const inStorage = storage.routes.filter(({ operationId }) => operationId !== 'uploadFile');
  const missing = [
    ...gateway.routes.map((route) => [route, toGatewayHandler(route)] as const),
    ...inStorage.map((route) => [route, toStorageHandler(route)] as const),
  ].filter(([{ operationId }]) => !known.includes(`${operationId}.ts`));
  for (const [{ operationId }, text] of missing) {
    await write(root, `${HANDLERS}/${operationId}.ts`, text);
  }
  await write(root, `${HANDLERS}/index.ts`, toIndex(gateway.routes, inStorage));
}

function toGatewayHandler({ operationId, method, path }: Route): string {
  return `import { GatewayError, type GatewayHandler } from '@berth/server-stubs';
import type { Caller } from '../security.ts';

/**
 * \`${method} ${path}\` of a hosted service.
 * TODO: forward \`method\`, \`target\`, \`headers\` and \`body\` to the service, with \`call.signal\`, and
 * return its status, headers and body.
 */
export const ${toVariableName(operationId)}: GatewayHandler<Caller> = async ({ name }) => {
  throw new GatewayError('SERVICE_NOT_FOUND', { message: \`Unknown service: \${name}.\` });
};
`;
}

function toStorageHandler({ operationId, method, path }: Route): string {
  return `import { StorageError, type StorageHandler } from '@berth/server-stubs';
import type { Caller } from '../security.ts';

/**
 * \`${method} ${path}\`
 * TODO: return \`data\`.
 */
export const ${toVariableName(operationId)}: StorageHandler<'${operationId}', Caller> = async () => {
  throw new StorageError('SYS_ERR', { status: 501, message: '${operationId} is not implemented yet.' });
};
`;
}

function toIndex(gatewayRoutes: readonly Route[], storageRoutes: readonly Route[]): string {
  const imports = [...gatewayRoutes, ...storageRoutes].map(
    ({ operationId }) => `import { ${toVariableName(operationId)} } from './${operationId}.ts';\n`,
  );
  const toHandlers = (routes: readonly Route[]) =>
    routes
      .map(({ operationId }) => `  ${toKey(operationId)}: ${toVariableName(operationId)},\n`)
      .join('');
  return `${imports.sort().join('')}
/** Gateway handlers, by operationId. */
export const gatewayHandlers = {
${toHandlers(gatewayRoutes)}};

/** Storage API handlers, by operationId. */
export const storageHandlers = {
${toHandlers(storageRoutes)}};
`;
}

function write(root: string, name: string, text: string, mode?: number): Promise<void> {
  return writeFile(join(root, name), text, { mode: mode ?? 0o644 });
}

export function toManifest(folder: string, stubsVersion: string): object {
  return {
    name: toPackageName(basename(folder)),
    version: '0.0.0',
    private: true,
    type: 'module',
    engines: { node: '>=22.18' },
    scripts: {
      start: 'node --env-file=.env src/server.ts',
      test: 'node --test "test/**/*.test.ts"',
      typecheck: 'tsc',
    },
    dependencies: { '@berth/server-stubs': `^${stubsVersion}`, express: '^5.1.0' },
    devDependencies: {
      '@types/express': '^5.0.0',
      '@types/node': '^24.0.0',
      typescript: '^5.9.0',
    },
  };
}

function toPackageName(folder: string): string {
  const name = folder
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/^[._-]+|-+$/g, '');
  return name === '' ? 'berth-server' : name;
}
