import { fileURLToPath } from 'node:url';

/** Folder of this package, from its source as from its build. */
export const PACKAGE_ROOT = fileURLToPath(
  new URL('.', import.meta.resolve('@berth/server-stubs/package.json')),
);
