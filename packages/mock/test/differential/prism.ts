import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import gateway from '@berth/spec/gateway.v1.json' with { type: 'json' };
import storage from '@berth/spec/storage.v2.json' with { type: 'json' };
import { type Asked, send, toBody, toSet, toType, type Verdict } from './exchange.ts';

const MANIFEST = createRequire(import.meta.url).resolve('@stoplight/prism-cli/package.json');
const COMMAND = join(dirname(MANIFEST), 'dist/index.js');
const DOCUMENTS = { gateway: withAllContent(), storage };

/** Prism reads no extensions, so the media types of `x-berth-content` become content. */
function withAllContent() {
  const document = structuredClone(gateway);
  const { ServiceResponse: response } = document.components.responses;
  Object.assign(response.content, response['x-berth-content']);
  return document;
}

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

export async function startPrism(): Promise<Prism> {
  const folder = mkdtempSync(join(tmpdir(), 'berth-prism-'));
  const [gateway, storage] = (['gateway', 'storage'] as const).map((name) => {
    const file = join(folder, `${name}.json`);
    writeFileSync(file, JSON.stringify(DOCUMENTS[name]));
    return spawnOn(file);
  }) as [ChildProcess, ChildProcess];
  const bases = { gateway: await addressOf(gateway), storage: await addressOf(storage) };
  const processes = { gateway, storage };
  return {
    async evaluate(asked) {
      const { status, headers, text } = await send(bases[asked.document], asked).catch((error) => {
        const { exitCode, signalCode } = processes[asked.document];
        const end = exitCode ?? signalCode;
        throw end === null ? error : new Error(`prism-cli ended with ${end}.`, { cause: error });
      });
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
      // prism-cli watches its document, and ends if it cannot.
      rmSync(folder, { recursive: true });
    },
  };
}

function spawnOn(file: string): ChildProcess {
  return spawn(process.execPath, [COMMAND, 'mock', file, '--port', '0'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

async function addressOf({ stdout }: ChildProcess): Promise<string> {
  if (stdout === null) throw new TypeError('prism-cli has no output.');
  let address: string | undefined;
  for await (const line of createInterface(stdout)) {
    [, address] = /listening on (http:\/\/[\d.]+:\d+)/.exec(line) ?? [];
    if (address !== undefined) break;
  }
  if (address === undefined) throw new Error('prism-cli did not start.');
  // The loop has paused the output, and a full pipe would stop prism-cli.
  stdout.resume();
  return address;
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
