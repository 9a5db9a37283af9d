import type { GatewayScheme } from '../credentials/create-signers.ts';
import { NetworkFault } from '../http/network-fault.ts';
import { createTrial } from '../trial/create-trial.ts';
import { readEcho } from '../trial/fixture-tool.ts';
import { isGatewayError } from '../trial/is-gateway-error.ts';
import type { Run } from './run.ts';

/** Why a check is skipped where all credentials are refused. */
export const REFUSED = {
  gateway: 'the gateway refused every credential that was given',
  storage: 'the storage API refused the credentials that were given',
} as const;

const SCHEMES: readonly GatewayScheme[] = ['module', 'bearer', 'signature'];

/**
 * Finds out which of the given schemes the gateway accepts, and whether the fixture service stands
 * behind it.
 */
export async function findGatewayCredentials(run: Run): Promise<void> {
  const { gateway } = createTrial(run, 'probe', '');
  const given = SCHEMES.filter((scheme) => run.signers.gateway[scheme] !== undefined);
  for (const scheme of given.length > 0 ? given : [undefined]) {
    const signer = scheme && run.signers.gateway[scheme];
    if (signer) run.gatewaySigner = signer;
    const answer = await ask(gateway);
    if (answer === 'refused') continue;
    if (scheme) run.gatewayScheme = scheme;
    run.fixture = answer;
    return;
  }
  run.fixture = REFUSED.gateway;
  run.refused.gateway = true;
}

/** `true` where the fixture answers, `refused`, or what came instead. */
async function ask(gateway: ReturnType<typeof createTrial>['gateway']): Promise<Run['fixture']> {
  try {
    const { received } = await gateway.call({ path: '/echo' });
    if (received.status === 200 && readEcho(received.json)) return true;
    const code = isGatewayError(received) ? Object(received.json).code : undefined;
    const isMissing = received.status === 404;
    if (code !== undefined && !isMissing && received.status < 500) return 'refused';
    const came = [received.status, code].filter(Boolean).join(' ');
    return `no fixture service answers at ${gateway.servicePath} (${came}); see berth-conformance fixture --help`;
  } catch (error) {
    if (error instanceof Error && error.name === 'Unreached') return 'refused';
    if (error instanceof NetworkFault) return `no fixture service answers: ${error.message}`;
    throw error;
  }
}

/**
 * Finds the form of the storage requests: 'fields at the top level or nested in `data`; a deployment
 * must accept at least one form' (D21). Each is tried with a call that stores nothing.
 */
export async function findStorageForm(run: Run): Promise<void> {
  const { storage } = createTrial(run, 'probe', '');
  const wanted = run.settings.requestForm;
  const statuses: (number | undefined)[] = [];
  for (const form of wanted ? [wanted] : (['top', 'data'] as const)) {
    run.requestForm = form;
    const options = { acceptsRefusal: true };
    const fields = { path: storage.path('probe.txt') };
    const answer = await storage.call('getUploadMetaData', fields, options).catch(() => undefined);
    if (answer?.data !== undefined && !answer.refused) return;
    statuses.push(answer?.received.status);
  }
  run.requestForm = wanted ?? 'top';
  run.refused.storage = statuses.every((status) => status === 401 || status === 403);
}
