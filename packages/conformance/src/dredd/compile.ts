import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { HeaderList } from '../http/exchange.ts';

/** A transaction that Dredd created from a document's examples, before its target is known. */
export interface Draft {
  /** Title of the document. */
  title: string;
  operationId: string;
  /** Status in the OpenAPI 3.0 copy. */
  copyStatus: string;
  /** Of the response; empty if there is none. */
  contentType: string;
  method: string;
  headers: HeaderList;
  body: string;
}

/** What the child process reports. */
export interface Compiled {
  error?: string;
  warnings: string[];
  drafts: Draft[];
}

/**
 * Lets Dredd compile the transactions of OpenAPI 3.0 documents.
 *
 * @throws Error if Dredd emits a warning, because it drops what it warns about
 */
export async function compileTransactions(
  documents: readonly object[],
  signal: AbortSignal,
): Promise<Draft[]> {
  // When run from source, this file ends in `.ts`; in the package, in `.js`.
  const extension = import.meta.url.slice(import.meta.url.lastIndexOf('.'));
  const child = fork(new URL(`./child${extension}`, import.meta.url), {
    execArgv: [],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  // Dredd's output, kept in case it explains a crash.
  let noise = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    noise = `${noise}${chunk}`.slice(-2000);
  });
  const exited = once(child, 'exit');
  child.send(documents.map((document) => JSON.stringify(document)));
  try {
    const compiled: Compiled = await Promise.race([
      once(child, 'message', { signal }).then(([message]) => message),
      exited.then(() => ({ error: `it exited too early: ${noise.trim()}` })),
    ]);
    const { error, warnings, drafts } = compiled;
    if (error) throw new Error(`Dredd failed: ${error}`);
    if (warnings.length > 0) {
      throw new Error(`Dredd warns about the document: ${warnings.join('; ')}.`);
    }
    await exited;
    return drafts;
  } finally {
    child.kill('SIGKILL');
  }
}
