import type { GatewayScheme } from '../credentials/create-signers.ts';
import { isGatewayError } from '../judge/is-gateway-error.ts';
import { createTrial } from '../trial/create-trial.ts';
import { readEcho } from '../trial/fixture-tool.ts';
import type { Trial } from '../trial/trial.ts';
import { callTarget } from './call-target.ts';
import type { Run } from './run.ts';

/** Why a check is skipped where all credentials are refused. */
export const REFUSED = {
  gateway:
    'the gateway refused every credential that was given; see --gateway-token, --tc3-secret-id and --auth-module',
  storage:
    'the storage API refused the credentials that were given; see --storage-header, --tc3-secret-id and --auth-module',
} as const;

/** Of a caller who is known and may not use the service. */
const FORBIDDEN = 'SERVICE_FORBIDDEN';
const SCHEMES: readonly GatewayScheme[] = ['module', 'bearer', 'signature'];

/**
 * Finds out which of the given schemes the gateway accepts, and whether the fixture service stands
 * behind it.
 *
 * @throws StartError where no answer comes
 */
export async function findGatewayCredentials(run: Run): Promise<void> {
  const trial = createTrial(run, 'probe', '');
  const given = SCHEMES.filter((scheme) => run.signers.gateway[scheme] !== undefined);
  for (const scheme of given.length > 0 ? given : [undefined]) {
    const signer = scheme && run.signers.gateway[scheme];
    if (signer) run.gatewaySigner = signer;
    const answer = await ask(run, trial);
    if (answer === 'refused') continue;
    if (scheme) run.gatewayScheme = scheme;
    run.fixture = answer;
    return;
  }
  run.fixture = REFUSED.gateway;
  run.refused.gateway = true;
}

/** `true` where the fixture answers, `refused`, or what came instead. */
async function ask(run: Run, { gateway }: Trial): Promise<Run['fixture']> {
  const { received } = await callTarget('gateway', run.settings.gatewayUrl, () =>
    gateway.call({ path: '/echo', acceptsRefusal: true }),
  );
  const { status, json } = received;
  if (status === 200 && readEcho(json)) return true;
  const isOwn = isGatewayError(status, json, received.header('x-request-id'));
  const code = isOwn ? Object(json).code : undefined;
  const isRefusal = code !== undefined && status !== 404 && status < 500 && code !== FORBIDDEN;
  if (isRefusal || status === 401) return 'refused';
  const came = [status, code].filter(Boolean).join(' ');
  return `no fixture service answers at ${gateway.servicePath} (${came}); see berth-conformance fixture --help`;
}
