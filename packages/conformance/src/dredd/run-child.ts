import { type ChildProcess, fork } from 'node:child_process';
import type { SentRequest } from '../http-messages.ts';
import { StartError } from '../start-error.ts';
import type { DriveOptions } from './drive.ts';
import type { DreddKey, FromChild, Send, Start } from './protocol.ts';

/** What a call may take beyond `timeout`, which Dredd applies to silence, not to the whole answer. */
const GRACE = 1000;

/**
 * Drives what is not yet dealt with in one process.
 *
 * @param dealtWith names of the transactions that are done; grows
 * @returns whether all is done; not, where a call had no end and the process was killed
 */
export async function runChild(options: DriveOptions, dealtWith: Set<string>): Promise<boolean> {
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
