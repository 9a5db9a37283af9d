import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { AuthModule } from '../credentials/auth-module.ts';
import { StartError } from '../start-error.ts';

const SIGNERS = ['gateway', 'storage'] as const;

/**
 * Loads signers of the operator's own.
 *
 * @param file an ES module; its default export has `gateway`, `storage` or both
 * @throws StartError with one sentence
 */
export async function readAuthModule(file: string): Promise<AuthModule> {
  const found = await load(file);
  const isModule = typeof found === 'object' && found !== null;
  const signers = SIGNERS.filter((name) => isModule && name in found);
  const areFunctions = signers.every(
    (name) => typeof (found as Record<string, unknown>)[name] === 'function',
  );
  if (signers.length > 0 && areFunctions) return found as AuthModule;
  throw new StartError(
    `${file}: the default export must have a function gateway(call), storage(call) or both.`,
  );
}

async function load(file: string): Promise<unknown> {
  try {
    return (await import(pathToFileURL(resolve(file)).href)).default;
  } catch (error) {
    throw new StartError(
      `The file of --auth-module cannot be loaded: ${file}: ${(error as Error).message}`,
    );
  }
}
