import { type ChildProcess, spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type Asked, send, toBody, toSet, toType, type Verdict } from './exchange.ts';

const MANIFEST = createRequire(import.meta.url).resolve('@stoplight/prism-cli/package.json');
const COMMAND = join(dirname(MANIFEST), 'dist/index.js');
const DOCUMENTS = {
  gateway: '@berth/spec/gateway.v1.json',
  storage: '@berth/spec/storage.v2.json',
};

/** Runs `prism-cli mock` with both bundled documents. */
export interface Prism {
  evaluate(asked: Asked): Promise<Verdict>;
  close(): void;
}

interface Found {
  /** `['request', 'body', 'fileList', '0']` */
  readonly location: readonly string[];
  /** Schema keyword, or a status. */
  readonly code: string | number;
  readonly message: string;
}

export async function startPrism(...more: readonly string[]): Promise<Prism> {
  const [gateway, storage] = [spawnOn('gateway', more), spawnOn('storage', more)];
  const bases = { gateway: await addressOf(gateway), storage: await addressOf(storage) };
  return {
    async evaluate(asked) {
      const { status, headers, text } = await send(bases[asked.document], asked);
      const found: Found[] = JSON.parse(String(headers['sl-violations'] ?? '[]'));
      const type = toType(headers['content-type']);
      return {
        status,
        isRefusal: found.length > 0 || type === 'application/problem+json',
        violations: toSet(found.filter(isOfSchema).map(toText)),
        type: text === '' ? undefined : type,
        body: toBody(type, text),
      };
    },
    close() {
      for (const child of [gateway, storage]) child.kill();
    },
  };
}

function spawnOn(document: keyof typeof DOCUMENTS, more: readonly string[]): ChildProcess {
  const file = fileURLToPath(import.meta.resolve(DOCUMENTS[document]));
  return spawn(process.execPath, [COMMAND, 'mock', file, '--port', '0', ...more]);
}

async function addressOf({ stdout }: ChildProcess): Promise<string> {
  if (stdout === null) throw new TypeError('prism-cli has no output.');
  const lines = createInterface(stdout);
  for await (const line of lines) {
    const [, address] = /listening on (http:\/\/[\d.]+:\d+)/.exec(line) ?? [];
    if (address === undefined) continue;
    stdout.resume();
    return address;
  }
  throw new Error('prism-cli did not start.');
}

/** Prism reports missing credentials and wrong media types as violations whose code is the status. */
function isOfSchema({ code }: Found): boolean {
  return typeof code === 'string';
}

function toText({ location, code, message }: Found): string {
  const [, place = 'body', ...keys] = location;
  // For a missing property, Prism reports the location of the object that lacks it.
  const [, missing] = /required property '(.*)'/.exec(message) ?? [];
  const pointer = [...keys, ...(missing === undefined ? [] : [missing])].map((key) => `/${key}`);
  return `${place} ${pointer.join('')} ${code}`;
}
