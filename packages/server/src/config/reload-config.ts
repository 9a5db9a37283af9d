import { once } from 'node:events';
import { dirname, extname, resolve } from 'node:path';
import { Worker } from 'node:worker_threads';
import { type Config, ConfigError, type ConfigFault } from './config.ts';
import { type ResolvedConfig, resolveConfig } from './resolve-config.ts';

const WORKER = new URL(`./reload-worker${extname(import.meta.url)}`, import.meta.url);

/**
 * Like `loadConfig`, but parses and validates the file in another thread: with thousands of services, that takes so
 * long that callers would notice.
 *
 * @param current the configuration in use; services that have not changed stay the same objects
 */
export async function reloadConfig(file: string, current?: Config): Promise<ResolvedConfig> {
  const worker = new Worker(WORKER, {
    workerData: file,
    // Without what operators preload into the server, such as an OpenTelemetry SDK.
    execArgv: process.execArgv.filter((option) => option.startsWith('--conditions=')),
    env: { ...process.env, NODE_OPTIONS: '' },
  });
  const [report] = (await once(worker, 'message')) as [string | readonly ConfigFault[]];
  if (typeof report !== 'string') throw new ConfigError(report);
  const { files, ...rest } = await resolveConfig(
    JSON.parse(report),
    dirname(resolve(file)),
    current,
  );
  return { ...rest, files: [resolve(file), ...files] };
}
