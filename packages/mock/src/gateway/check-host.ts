import type { Context } from '../context.ts';
import type { Call } from '../http/call.ts';
import { Refusal } from '../refusal.ts';
import { firstLabel, isLoopback } from '../routing/host.ts';

/**
 * D12: "The environment is the first label of the host name"; "A server of one environment also takes
 * any loopback host; an unknown environment is `INVALID_HOST`." The address that the mock was told to
 * listen on is its own as well.
 */
export function checkHost({ host }: Call, { env, listenHost }: Context): void {
  if (host === undefined) {
    throw new Refusal(
      'INVALID_HOST',
      'The header Host is missing, stands twice, or is no host name.',
    );
  }
  if (isLoopback(host) || host === listenHost.toLowerCase()) return;
  if (firstLabel(host) === env.toLowerCase()) return;
  throw new Refusal(
    'INVALID_HOST',
    `The host ${host} does not belong to the environment ${env}: use a host whose first label is ${env}, or a loopback address.`,
  );
}
