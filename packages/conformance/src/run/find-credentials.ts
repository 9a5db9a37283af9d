import type { GatewayScheme } from '../credentials/create-signers.ts';
import { isGatewayError } from '../judge/is-gateway-error.ts';
import { createTrial } from '../trial/create-trial.ts';
import { readEcho } from '../trial/fixture-tool.ts';
import type { Trial } from '../trial/trial.ts';
import { callTarget } from './call-target.ts';
import type { Refusal, Run } from './run.ts';

/** Options that give a caller of the gateway credentials. */
const OPTIONS = '--gateway-token, --tc3-secret-id and --auth-module';
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
  const refusals = new Set<string>();
  for (const scheme of given.length > 0 ? given : [undefined]) {
    const signer = scheme && run.signers.gateway[scheme];
    if (signer) run.gatewaySigner = signer;
    const answer = await ask(run, trial);
    if (typeof answer === 'object') {
      refusals.add(answer.refusal);
      continue;
    }
    if (scheme) run.gatewayScheme = scheme;
    run.fixture = answer;
    return;
  }
  const refused = toRefusal(run, [...refusals].join(', '), given.length > 0);
  run.fixture = refused.reason;
  run.refused.gateway = refused;
}

/** What it says of all credentials, by status and code: `401 ACCESS_TOKEN_INVALID`. */
function toRefusal({ settings }: Run, came: string, isGiven: boolean): Refusal {
  if (/HOST/i.test(came)) {
    const hint = settings.gatewayHost
      ? '--gateway-host names no environment of it'
      : '--gateway-host is missing, which names the environment';
    return {
      reason: `the gateway answered ${came}; it looks like ${hint}`,
      isOfCredentials: false,
    };
  }
  return isGiven
    ? {
        reason: `the gateway refused every credential that was given (${came}); see ${OPTIONS}`,
        isOfCredentials: true,
      }
    : {
        reason: `no credentials of the gateway were given (${came}); see ${OPTIONS}`,
        isOfCredentials: false,
      };
}

/** `true` where the fixture answers, a refusal of the credentials, or what came instead. */
async function ask(run: Run, { gateway }: Trial): Promise<Run['fixture'] | { refusal: string }> {
  const { received } = await callTarget('gateway', run.settings.gatewayUrl, () =>
    gateway.call({ path: '/echo', acceptsRefusal: true }),
  );
  const { status, json } = received;
  if (status === 200 && readEcho(json)) return true;
  const isOwn = isGatewayError(status, json, received.header('x-request-id'));
  const code = isOwn ? Object(json).code : undefined;
  const came = [status, code].filter(Boolean).join(' ');
  const isRefusal = code !== undefined && status !== 404 && status < 500 && code !== FORBIDDEN;
  if (isRefusal || status === 401) return { refusal: came };
  return `no fixture service answers at ${gateway.servicePath} (${came}); see berth-conformance fixture --help`;
}
