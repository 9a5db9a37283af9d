import { startFixture } from '../../fixture/server.mjs';
import { changeJson } from '../mutants/support/gateway.ts';
import { type Hooks, type MutatedRequest, MutatedResponse } from '../proxy/messages.ts';
import { startSecondServer } from '../second-server/start-second-server.ts';
import type { Deployment } from './start-mutated.ts';

/** The second server of the conformance suite, with the fixture service behind it. */
export async function startSecond(publicUrl?: string): Promise<Deployment> {
  const fixture = await startFixture({ port: 0 });
  const second = await startSecondServer({
    services: { conformance: fixture.url },
    requestForm: 'top',
    ...(publicUrl ? { publicObjectsUrl: publicUrl } : {}),
  });
  const { gatewayUrl, gatewayHost, storageUrl, objectsUrl, env, tc3 } = second;
  const { storageHeaders, forbiddenService, otherEnvToken, expiredToken } = second;
  return {
    options: {
      ...{ gatewayUrl, gatewayHost, storageUrl, env, tc3, storageHeaders, forbiddenService },
      ...{ gatewayToken: second.token, otherEnvToken, expiredToken },
      timeout: 60_000,
    },
    toServer(target) {
      if (target.startsWith('/v1/')) return gatewayUrl;
      return target.startsWith('/api/') ? storageUrl : objectsUrl;
    },
    adapt,
    async close() {
      await second.close();
      await fixture.close();
    },
  };
}

/**
 * Hooks rely on two choices of the reference server: responses of hosted services have a header (D10), which is
 * removed again, and the entries of every list are in the order of the request (D25).
 */
function adapt(hooks: Hooks): Hooks {
  const request = async (given: MutatedRequest) => {
    const instead = await hooks.request?.(given);
    if (instead instanceof MutatedResponse) unmark(instead);
    return instead;
  };
  return {
    ...hooks,
    ...(hooks.request ? { request } : {}),
    async response(response, given) {
      if (given.isGateway && isOfService(response, given)) {
        response.headers.set(MARK, String(response.status));
      }
      reverse(response, given);
      await hooks.response?.(response, given);
      unmark(response);
    },
  };
}

const MARK = 'X-Svc-Upstream-Status-Code';
const unmark = ({ headers }: MutatedResponse) => headers.remove(MARK);

const isOfService = ({ json, headers }: MutatedResponse, { method }: MutatedRequest) =>
  (method === 'GET' || method === 'POST') &&
  (json?.requestId === undefined || json.requestId !== headers.get('X-Request-Id'));

function reverse(response: MutatedResponse, { operation }: MutatedRequest): void {
  if (operation !== 'batchGetTempUrls' && operation !== 'batchDelete') return;
  changeJson(({ body, data = body?.data }) => data?.fileList?.reverse())(response);
}
