import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { generate } from '../../generator/generate.ts';
import type { RouteTable } from '../../src/runtime/index.ts';
import { writeFiles } from './compile-types.ts';
import { RUNTIME } from './start-server.ts';

/** Generates a route table and loads it into this process. */
export async function loadGenerated(document: unknown): Promise<{ table: RouteTable }> {
  const folder = await mkdtemp(join(tmpdir(), 'berth-stubs-'));
  try {
    await writeFiles(folder, generate(document, { runtime: RUNTIME }).files);
    const { routes } = await import(pathToFileURL(join(folder, 'routes.gen.ts')).href);
    return { table: routes };
  } finally {
    await rm(folder, { recursive: true });
  }
}
