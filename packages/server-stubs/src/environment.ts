import { isIPv4 } from 'node:net';
import { GatewayError, StorageError } from './errors.ts';
import { hostOf, isLoopback } from './gateway/forwarding.ts';
import type { Call } from './runtime/portable/call.ts';

/** The environments that a router serves: a name, or a function that returns whether it serves a name. */
export type EnvOption = string | ((env: string) => boolean);

/** D12: the environment is the first label, or an entire IP address. A server with one environment accepts loopback hosts. */
export function findHostEnv({ request }: Call, env: EnvOption | undefined): string {
  const invalid = (message: string) => new GatewayError('INVALID_HOST', { message });
  const host = hostOf(request);
  if (!host) throw invalid('The Host header is missing, duplicated, or not a host name.');
  const isLocal = isLoopback(host);
  const isComplete = isLocal || isIPv4(host);
  const label = isComplete ? host : (host.split('.', 1)[0] as string);
  if (env === undefined) return label;
  if (typeof env === 'function' && env(label)) return label;
  if (typeof env === 'string' && (isLocal || label === env.toLowerCase())) return env;
  throw invalid(`The host ${host} does not belong to any environment of this gateway.`);
}

/** The name of the environment is in the path of a storage call. */
export function assertEnv(name: string, env: EnvOption | undefined): void {
  if (env === undefined || (typeof env === 'string' ? env === name : env(name))) return;
  throw new StorageError('INVALID_ENV', { message: `Environment ${name} does not exist.` });
}
