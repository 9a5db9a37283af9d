import { parentPort, workerData } from 'node:worker_threads';
import { ConfigError } from './config.ts';
import { loadConfig } from './load-config.ts';

/** Validates the file; returns its data in JSON, which is faster to copy than objects, or its errors. */
async function load(file: string) {
  try {
    return JSON.stringify((await loadConfig(file)).data);
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
}

parentPort?.postMessage(await load(workerData));
