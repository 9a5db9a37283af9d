import { basename } from 'node:path';

/** `package.json` of a new project in this folder. */
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

/** A name that npm takes: what it does not take becomes a hyphen. */
function toPackageName(folder: string): string {
  const name = folder
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/^[._-]+|-+$/g, '');
  return name === '' ? 'berth-server' : name;
}
