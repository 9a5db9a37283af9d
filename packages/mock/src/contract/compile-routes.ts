import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { RouteTable } from '@berth/server-stubs';
import { registerTypeScript } from '../typescript.js';

/** What of a document the generator refuses. */
export class RefusedDocument extends Error {
  override readonly name = 'RefusedDocument';
  readonly places: readonly { readonly path: readonly string[]; readonly message: string }[];

  /** @param text as the generator prints it: a JSON Pointer a line, with a sentence below */
  constructor(text: string) {
    super(text.trim());
    this.places = [...text.matchAll(/^#(\/\S*)\n((?: {2}.*\n)+)/gm)].map(
      ([, pointer = '', message = '']) => ({
        path: pointer.slice(1).split('/').map(unescapeStep),
        message: message.replaceAll(/\s+/g, ' ').trim(),
      }),
    );
  }
}

/**
 * The routes and validators of a document, made by `berth-stubs` as those of the contract are. They are
 * imported from a folder of their own, so that each version of the document brings its own.
 *
 * @param file one OpenAPI document, JSON or YAML
 * @throws RefusedDocument
 */
export async function compileRoutes(file: string): Promise<RouteTable> {
  const folder = await mkdtemp(join(tmpdir(), 'berth-contract-'));
  try {
    await generate(file, folder);
    registerTypeScript();
    const { routes } = await import(pathToFileURL(join(folder, 'routes.gen.ts')).href);
    return routes;
  } finally {
    await rm(folder, { recursive: true });
  }
}

function generate(file: string, folder: string): Promise<void> {
  const runtime = import.meta.resolve('@berth/server-stubs/runtime');
  const args = [findGenerator(), file, '--output', folder, '--runtime', runtime, '--quiet'];
  return new Promise((resolve, reject) => {
    execFile(process.execPath, args, (error, _, stderr) => {
      if (error === null) resolve();
      else reject(error.code === 2 ? new RefusedDocument(stderr) : error);
    });
  });
}

/** The command of the stubs. */
function findGenerator(): string {
  const require = createRequire(import.meta.url);
  const manifest = require.resolve('@berth/server-stubs/package.json');
  return join(dirname(manifest), require(manifest).bin['berth-stubs']);
}

/** RFC 6901, section 4. */
function unescapeStep(step: string): string {
  return decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~');
}
