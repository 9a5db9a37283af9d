import { type ChildProcess, fork } from 'node:child_process';
import type { Drafted, SentRequest } from '../http/exchange.ts';
import { StartError } from '../result.ts';

/** What a call may take beyond `timeout`, which Dredd applies to silence, not to the whole answer. */
const GRACE = 1000;

/**
 * Lets Dredd drive every transaction of the documents. A call without an end costs its process: it is
 * killed, and another goes on with the rest.
 *
 * @throws StartError where Dredd warns about the document
 */
export async function drive(options: DriveOptions): Promise<void> {
  const dealtWith = new Set<string>();
  let finished = false;
  while (!finished && !options.signal.aborted) {
    const before = dealtWith.size;
    finished = await runChild(options, dealtWith);
    if (!finished && dealtWith.size === before && !options.signal.aborted)
      throw new Error('Dredd ends without a call.');
  }
}

/**
 * Drives what is not yet dealt with in one process.
 *
 * @param dealtWith names of the transactions that are done; grows
 * @returns whether all is done; not, where a call had no end and the process was killed
 */
async function runChild(options: DriveOptions, dealtWith: Set<string>): Promise<boolean> {
  const child = forkChild();
  const output = collect(child);
  let current: { name: string; key: DreddKey } | undefined;
  let names: string[] = [];
  let resolve!: (isDone: boolean) => void;
  let reject!: (reason: unknown) => void;
  const promise = new Promise<boolean>((...settlers) => {
    [resolve, reject] = settlers;
  });
  let timer: NodeJS.Timeout | undefined;

  const settle = (report: (key: DreddKey) => void) => {
    clearTimeout(timer);
    if (current === undefined) return;
    dealtWith.add(current.name);
    report(current.key);
    current = undefined;
  };
  const giveUp = () => {
    settle((key) => options.onError(key, `no whole answer within ${options.timeout} ms`));
    resolve(false);
  };
  const reply = (request: SentRequest | undefined) => {
    send(child, request ? { kind: 'request', request } : { kind: 'request' });
    if (request === undefined) settle(() => {});
  };
  const isFinished = () => names.every((name) => dealtWith.has(name));

  const receive = (message: FromChild) => {
    switch (message.kind) {
      case 'names':
        names = message.names;
        break;
      case 'warnings':
        reject(new StartError(`Dredd warns about the document: ${message.messages.join('; ')}.`));
        break;
      case 'before':
        current = message;
        timer = setTimeout(giveUp, options.timeout + GRACE);
        options.prepare(message.key, message.request).then(reply, reject);
        break;
      case 'answer':
        settle(options.onAnswer);
        break;
      case 'failed':
        settle((key) => options.onError(key, message.message));
        break;
      case 'end':
        if (message.error) reject(new Error(`Dredd failed: ${message.error}`));
        else resolve(true);
    }
  };
  child.on('message', (message: FromChild) => {
    try {
      receive(message);
    } catch (error) {
      reject(error);
    }
  });
  child.once('error', reject);
  child.once('exit', () => {
    settle((key) => options.onError(key, 'Dredd ended in the middle of the call'));
    if (names.length > 0) resolve(isFinished());
    else reject(new Error(`Dredd ended before its first call: ${output().trim()}`));
  });
  const { documents, timeout } = options;
  const end = () => resolve(false);
  options.signal.addEventListener('abort', end, { once: true });
  send(child, { kind: 'start', documents, timeout, skip: [...dealtWith] });
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    options.signal.removeEventListener('abort', end);
    child.removeAllListeners();
    child.kill('SIGKILL');
  }
}

function forkChild(): ChildProcess {
  // From the sources this file ends in `.ts`, in the package in `.js`.
  const extension = import.meta.url.slice(import.meta.url.lastIndexOf('.'));
  return fork(new URL(`./child${extension}`, import.meta.url), {
    execArgv: [],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
}

/** Dredd's own noise, kept for the one case where it explains a crash. */
function collect(child: ChildProcess): () => string {
  let text = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    text = `${text}${chunk}`.slice(-2000);
  });
  return () => text;
}

function send(child: ChildProcess, message: Start | Send): void {
  child.send(message);
}

export interface DriveOptions {
  /** Texts of OpenAPI 3.0 documents. */
  documents: string[];
  /** Longest wait for one answer, in milliseconds. */
  timeout: number;
  /** Says what to send for a transaction that Dredd drafted; `undefined` leaves it out. */
  prepare: (key: DreddKey, drafted: Drafted) => Promise<SentRequest | undefined>;
  /** Ends the run. */
  signal: AbortSignal;
  /** Dredd has got the answer. */
  onAnswer: (key: DreddKey) => void;
  /** No answer, or none in time. */
  onError: (key: DreddKey, message: string) => void;
}

/** Parent to child, once: what to drive. */
export interface Start {
  kind: 'start';
  /** Texts of OpenAPI 3.0 documents. */
  documents: string[];
  /** Longest silence while waiting for an answer, in milliseconds. */
  timeout: number;
  /** Names of the transactions that are not to be driven. */
  skip: string[];
}

/** How Dredd calls a transaction, in terms of the contract. */
export interface DreddKey {
  /** Title of the document. */
  title: string;
  operationId: string;
  /** Status in the OpenAPI 3.0 copy. */
  copyStatus: string;
  contentType: string;
}

/** Child to parent. A `before` waits for the `request` of the parent. */
export type FromChild =
  | { kind: 'names'; names: string[] }
  | { kind: 'before'; name: string; key: DreddKey; request: Drafted }
  | { kind: 'answer'; name: string }
  | { kind: 'failed'; name: string; message: string }
  | { kind: 'warnings'; messages: string[] }
  | { kind: 'end'; error?: string };

/** Parent to child, the reply to `before`: what to send, if anything. */
export interface Send {
  kind: 'request';
  request?: SentRequest;
}
