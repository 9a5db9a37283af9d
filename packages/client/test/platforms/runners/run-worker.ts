import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { findWorkerd } from '@berth/runtimes/workerd';
import type { Deployment } from '../platform-case.ts';
import type { CaseResult } from '../run-suite.ts';

/** How long until the process is killed in any case, in milliseconds. */
const LONGEST = 580_000;
/** File descriptor on which workerd reports its port. */
const CONTROL = 3;

/** Runs the suite in a Worker, in one request, and yields its results as they arrive. */
export async function runWorker(
  module: string,
  deployment: Deployment,
  certificate: string,
  tell: (result: CaseResult) => void,
): Promise<void> {
  const worker = await startWorkerd(module, await readFile(certificate, 'utf8'));
  const run = async () => {
    const body = JSON.stringify(deployment);
    const results = (await fetch(worker.url, { method: 'POST', body })).body;
    for await (const line of createInterface(Readable.fromWeb(results as never))) {
      tell(JSON.parse(line));
    }
  };
  try {
    await Promise.race([run(), worker.end]);
  } catch (cause) {
    throw new Error(`The Worker failed: ${cause}\n${worker.said()}`, { cause });
  } finally {
    await worker.close();
  }
}

/** A Worker that listens on a loopback port. */
export interface RunningWorker {
  readonly url: string;
  /** Rejects when workerd exits. */
  readonly end: Promise<never>;
  /** Returns workerd's output so far. */
  said(): string;
  close(): Promise<void>;
}

/**
 * Starts a Worker in Cloudflare's runtime, without Node compatibility.
 *
 * @param module path of its only module; the configuration is written next to it
 * @param certificate certificate to trust, as PEM
 */
export async function startWorkerd(module: string, certificate?: string): Promise<RunningWorker> {
  const { command, compatibilityDate } = findWorkerd();
  const config = `${module}.capnp`;
  await writeFile(config, toConfig(basename(module), compatibilityDate, certificate));
  const child = spawn(command, ['serve', config, `--control-fd=${CONTROL}`], {
    cwd: dirname(module),
    env: {},
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    timeout: LONGEST,
    killSignal: 'SIGKILL',
  });
  let said = '';
  for (const output of [child.stdout, child.stderr]) {
    output?.setEncoding('utf8').on('data', (text) => {
      said += text;
    });
  }
  const end = new Promise<never>((_, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => {
      reject(new Error(`workerd ended with ${code ?? signal}: ${said}`));
    });
  });
  // The result is not needed once it is closed.
  end.catch(() => {});
  const port = await Promise.race([readPort(child.stdio[CONTROL] as Readable), end]);
  return {
    url: `http://127.0.0.1:${port}/`,
    end,
    said: () => said,
    async close() {
      if (child.kill('SIGKILL')) await once(child, 'close');
    },
  };
}

/** Waits for the port. If none comes, workerd exits and prints the reason. */
async function readPort(control: Readable): Promise<number> {
  for await (const line of createInterface(control)) {
    const { event, port } = JSON.parse(line);
    if (event === 'listen') return port;
  }
  return new Promise(() => {});
}

/** Renders the workerd configuration, whose strings have the same syntax as in JSON. */
function toConfig(module: string, compatibilityDate: string, certificate?: string): string {
  const trusted = JSON.stringify(certificate ? [certificate] : []);
  return `using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [
    (name = "worker", worker = (
      modules = [(name = "worker.js", esModule = embed ${JSON.stringify(module)})],
      compatibilityDate = ${JSON.stringify(compatibilityDate)},
      globalOutbound = "network",
    )),
    # The loopback, where the deployment is, counts as private.
    (name = "network", network = (
      allow = ["public", "private"],
      tlsOptions = (trustedCertificates = ${trusted}),
    )),
  ],
  sockets = [(name = "worker", address = "127.0.0.1:0", http = (), service = "worker")],
);
`;
}
