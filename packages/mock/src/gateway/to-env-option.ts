import type { EnvOption } from '@berth/server-stubs';
import type { ResolvedOptions } from '../options.ts';
import { isLoopback } from '../routing/host.ts';

/**
 * The hosts that are the mock's environment. D12: "A server of one environment also takes any loopback
 * host". One that is open to the network takes any address as well, for it knows not under which of
 * them it is reached.
 */
export function toEnvOption({ env, host }: Pick<ResolvedOptions, 'env' | 'host'>): EnvOption {
  if (isLoopback(host.toLowerCase())) return env;
  const own = [env, host.split('.', 1)[0]].map((label) => label?.toLowerCase());
  // The router hands over the first label, and a loopback host whole.
  return (label) =>
    own.includes(label.toLowerCase()) || isLoopback(label) || /^(\d{1,3}$|\[)/.test(label);
}
