import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { toProfileDocument } from '@berth/spec/profile-documents';
import type { Run } from '../context/run.ts';
import { APIS, type Api } from '../contract/openapi.ts';
import { toContract } from '../contract/operations.ts';
import type { Result } from '../result.ts';
import { HANDED_OVER, type HandedOver } from './session.ts';
import { copies, isDriven, toTransactionResult, transactionSkipReason } from './transactions.ts';

/**
 * Runs Dredd with the hooks, as its users do. Each documented response that Dredd can run gets exactly one result, which
 * is an error if Dredd does not run it.
 */
export async function runDredd(run: Run, onResult: (result: Result) => void): Promise<void> {
  const open = new Map<string, Result>();
  for (const transaction of toContract().transactions.filter(isDriven)) {
    const result = toTransactionResult(transaction);
    const ending = transactionSkipReason(run, transaction);
    if (ending) onResult({ ...result, ...ending });
    else open.set(result.id, result);
  }
  if (open.size === 0) return;
  const folder = await mkdtemp(join(tmpdir(), 'berth-dredd-'));
  let output = '';
  try {
    await writeFiles(folder, run);
    output = await startDredd(folder, run, (result) => {
      if (open.delete(result.id)) onResult(result);
    });
  } catch (error) {
    output = (error as Error).message;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  const { aborted, reason } = run.signal;
  for (const result of open.values()) {
    onResult(
      aborted
        ? { ...result, outcome: 'skip', reason: String(reason) }
        : { ...result, reason: `Dredd did not request this response: ${output.trim()}` },
    );
  }
}

/** Writes the documents in the words of the deployment, and the configuration. */
async function writeFiles(folder: string, { settings, copyPaths }: Run): Promise<void> {
  const profile = { ...settings.wireProfile, copyPaths };
  for (const api of APIS) {
    const document = toProfileDocument(copies[api], profile);
    await writeFile(join(folder, `${api}.json`), JSON.stringify(document));
  }
  // When run from source, this file ends in `.ts`; in the package, in `.js`.
  const hooks = import.meta.url.endsWith('.ts') ? './dredd-hooks.cts' : './dredd-hooks.cjs';
  const [blueprint, ...path] = APIS.map((api) => `${api}.json`);
  const configuration = {
    blueprint,
    path,
    endpoint: settings.gatewayUrl,
    hookfiles: fileURLToPath(new URL(hooks, import.meta.url)),
    loglevel: 'warning',
    http: { timeout: settings.timeout, ...(settings.ca && { ca: settings.ca }) },
  };
  // JSON is YAML, too.
  await writeFile(join(folder, 'dredd.yml'), JSON.stringify(configuration));
}

/** Runs Dredd until it ends or the run is aborted. Returns the end of its output. */
async function startDredd(
  folder: string,
  run: Run,
  onResult: (result: Result) => void,
): Promise<string> {
  const { signal } = run;
  const command = join(
    dirname(createRequire(import.meta.url).resolve('dredd/package.json')),
    'bin/dredd',
  );
  const handedOver = toHandedOver(run);
  const child = fork(command, ['--config', 'dredd.yml'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: { ...process.env, [HANDED_OVER]: JSON.stringify(handedOver) },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      output = `${output}${chunk}`.slice(-2000);
    });
  }
  child.on('message', (message) => onResult(message as Result));
  try {
    await once(child, 'close', { signal });
    return output;
  } finally {
    child.kill('SIGKILL');
  }
}

function toHandedOver(run: Run): HandedOver {
  const { settings, mark, requestForm, copyPaths, gatewayScheme, refused, fixture } = run;
  const urlOf = (api: Api) => (settings.apis.includes(api) ? settings[`${api}Url`] : undefined);
  return {
    options: { ...settings, gatewayUrl: urlOf('gateway'), storageUrl: urlOf('storage') },
    found: {
      mark,
      requestForm,
      copyPaths,
      refused,
      fixture,
      ...(gatewayScheme !== undefined && { gatewayScheme }),
    },
  };
}
