import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import type { SentRequest } from '../http/exchange.ts';
import { StartError } from '../result.ts';

/** A transaction that Dredd created from a document's examples, before its target is known. */
export interface Draft {
  /** Title of the document. */
  title: string;
  operationId: string;
  /** Status in the OpenAPI 3.0 copy. */
  copyStatus: string;
  contentType: string;
  request: Omit<SentRequest, 'url'>;
}

/** The message from the parent process to the child: what to run, and where to send the drafts. */
export interface Start {
  /** Texts of OpenAPI 3.0 documents. */
  documents: string[];
  url: string;
}

/** The outcome of a Dredd run. The child process sends it to its parent once. */
export interface Ending {
  /** What Dredd did not understand in the documents. */
  warnings?: string[];
  error?: string;
}

/**
 * Lets Dredd run every transaction of the documents, one after another.
 *
 * @param onDraft called with each transaction; must not reject
 * @param signal aborts the run
 * @throws StartError if Dredd emits a warning about the document
 */
export async function drive(
  documents: string[],
  onDraft: (draft: Draft) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const server = createServer(async (request, response) => {
    await onDraft((await json(request)) as Draft);
    response.end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    await runDredd({ documents, url }, signal);
  } finally {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  }
}

async function runDredd(start: Start, signal: AbortSignal): Promise<void> {
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
  const gone = once(child, 'exit', { signal }).then(
    (): Ending => ({ error: `it exited too early: ${noise.trim()}` }),
  );
  child.send(start);
  try {
    const told = once(child, 'message', { signal }).then(([message]) => message as Ending);
    const { warnings, error } = await Promise.race([told, gone]);
    if (warnings) throw new StartError(`Dredd warns about the document: ${warnings.join('; ')}.`);
    if (error) throw new Error(`Dredd failed: ${error}`);
  } finally {
    child.kill('SIGKILL');
  }
}
