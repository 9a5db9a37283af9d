import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { toProfileDocument } from '@berth/spec/profile-documents';
import { openapi30Documents, transactions } from '../contract/catalog.ts';
import { APIS } from '../contract/openapi.ts';
import { DisabledError, NotRunError } from '../errors.ts';
import type { CheckResult } from '../results/result.ts';
import { findBlocker } from '../run/blocker.ts';
import { decide } from '../run/outcome.ts';
import type { Run } from '../run/run.ts';
import { createHooks, type HookName } from './dredd-handler.ts';
import type { DreddTransaction } from './dredd-transaction.ts';

/** Each documented response that Dredd can run gets exactly one result, which is an error if Dredd does not run it. */
export async function runDredd(run: Run): Promise<CheckResult[]> {
  const dredd = findDredd();
  const missing = new DisabledError('Dredd is not installed: npm install --save-dev dredd');
  const results = new Map<string, CheckResult>();
  const add = (result: CheckResult) => {
    if (results.has(result.case.id)) return;
    results.set(result.case.id, result);
    run.settings.onCheck(result);
  };
  for (const transaction of transactions) {
    const blocker = findBlocker(run, transaction) ?? (dredd ? undefined : missing);
    if (blocker) add(decide(run, transaction, [], blocker));
  }
  const pending = transactions.filter((transaction) => !results.has(transaction.case.id));
  if (dredd === undefined || pending.length === 0) return [...results.values()];
  const output = await mkdtemp(join(tmpdir(), 'berth-dredd-'))
    .then((folder) =>
      startDredd(dredd, folder, run, add).finally(() =>
        rm(folder, { recursive: true, force: true }),
      ),
    )
    .catch((error: Error) => error.message);
  const error = new NotRunError(`Dredd did not request this response: ${output.trim()}`);
  for (const transaction of pending) add(decide(run, transaction, [], error));
  return [...results.values()];
}

/** Returns where Dredd is. It is an optional peer dependency, because it brings many packages that are deprecated. */
function findDredd(): string | undefined {
  try {
    return dirname(createRequire(import.meta.url).resolve('dredd/package.json'));
  } catch {
    return undefined;
  }
}

async function startDredd(
  dredd: string,
  folder: string,
  run: Run,
  onEnd: (result: CheckResult) => void,
) {
  const { signal, settings } = run;
  // The documents with the deployment's names.
  const profile = { ...settings.wireProfile, copyPaths: run.deployment.copyPaths };
  for (const api of APIS) {
    const document = JSON.stringify(toProfileDocument(openapi30Documents[api], profile));
    await writeFile(join(folder, `${api}.json`), document);
  }
  // When run from source, this file ends in `.ts`; in the package, in `.js`.
  const hooks = import.meta.url.endsWith('.ts') ? './dredd-hooks.cts' : './dredd-hooks.cjs';
  const configuration = {
    blueprint: `${APIS[0]}.json`,
    path: APIS.slice(1).map((api) => `${api}.json`),
    endpoint: settings.gatewayUrl,
    hookfiles: fileURLToPath(new URL(hooks, import.meta.url)),
    loglevel: 'warning',
    http: { timeout: settings.timeoutMs, ...(settings.ca && { ca: settings.ca }) },
  };
  // JSON is YAML, too.
  await writeFile(join(folder, 'dredd.yml'), JSON.stringify(configuration));
  const child = fork(join(dredd, 'bin/dredd'), ['--config', 'dredd.yml'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: { ...process.env, BERTH_DREDD_PARENT: 'true', BERTH_TIMEOUT: String(settings.timeout) },
  });
  let output = '';
  for (const input of [child.stdout, child.stderr]) {
    if (!input) continue;
    // Secrets are redacted before the output is shortened, which may cut them.
    createInterface({ input }).on('line', (line) => {
      output = `${output}${run.secrets.redact(line)}\n`.slice(-2000);
    });
  }
  const handle = createHooks(run, onEnd);
  child.on('message', async (message) => {
    const { name, transaction } = message as { name: HookName; transaction: DreddTransaction };
    await handle(name, transaction);
    if (child.connected) child.send(transaction);
  });
  try {
    await once(child, 'close', { signal });
    return output;
  } finally {
    child.kill('SIGKILL');
  }
}
