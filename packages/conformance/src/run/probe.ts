import type { Api } from '../contract/apis.ts';
import { TunnelRefused } from '../http/agents.ts';
import { callTarget } from './call-target.ts';
import { createRunCaller } from './create-run-caller.ts';
import type { Run } from './run.ts';

/** Statuses of CONNECT with which a proxy says that it opens no tunnels there. */
const NO_TUNNEL = [0, 400, 403, 404, 405, 501];

/**
 * Asks a target for any answer at all, so that a dead address, a TLS error or a server that hangs ends
 * the run at once and not call by call.
 *
 * @throws StartError with one sentence that says what is wrong
 */
export async function probe(api: Api, url: string, run: Run): Promise<void> {
  const { origin, pathname } = new URL(url);
  const { agents, settings } = run;
  const caller = createRunCaller(run);
  const host = api === 'gateway' ? settings.gatewayHost : undefined;
  const ask = async () => {
    const answer = await caller.open({
      ...{ method: 'GET', origin, target: pathname, body: Buffer.alloc(0), keep429: true },
      headers: host === undefined ? [] : [['Host', host]],
    });
    answer.close();
  };
  await callTarget(api, url, async () => {
    try {
      await ask();
    } catch (error) {
      const cause = Object(error).cause ?? error;
      const isTunnel = cause instanceof TunnelRefused && NO_TUNNEL.includes(cause.status);
      if (!isTunnel || settings.proxy === undefined || !origin.startsWith('http:')) throw error;
      agents.forwarder = new URL(settings.proxy);
      settings.onNotice('the proxy opens no tunnel to http targets; it may rewrite paths and Host');
      await ask();
    }
  });
}
