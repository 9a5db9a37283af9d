import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

const CHILD = join(import.meta.dirname, 'start-child.ts');

/** Module specifier of the runtime, for generated files in any folder. */
export const RUNTIME = pathToFileURL(join(import.meta.dirname, '../../src/runtime/index.ts')).href;

export interface Start {
  /** Time from an empty process to a listening server. */
  readonly milliseconds: number;
  /** How often each status occurred when every operation was called once. */
  readonly statuses: Readonly<Record<string, number>>;
}

/** Starts a server from a generated folder, without handlers, in a separate process. */
export async function startServer(folder: string): Promise<Start> {
  const args = ['--conditions=berth-source', CHILD, folder];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return JSON.parse(stdout);
}
