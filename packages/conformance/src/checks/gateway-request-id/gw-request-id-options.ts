import type { GatewayCall } from '../../trial/gateway-tool.ts';
import { defineCheck } from '../check.ts';

const PREFLIGHT = {
  Origin: 'https://app.example',
  'Access-Control-Request-Method': 'POST',
  'Access-Control-Request-Headers': 'authorization, content-type',
};

export const gwRequestIdOptions = defineCheck('GW-REQUEST-ID-OPTIONS', [], async (t) => {
  const calls: Record<string, GatewayCall> = {
    'OPTIONS of the root': {},
    'OPTIONS of a path': { path: '/a/b?c=d' },
    'OPTIONS without credentials': { path: '/a', credentials: 'none' },
    'a preflight': { path: '/a', credentials: 'none', headers: PREFLIGHT },
    'a preflight of the root': { credentials: 'none', headers: PREFLIGHT },
    'a preflight with credentials': { path: '/a', headers: PREFLIGHT },
    'a preflight of a missing service': {
      ...{ service: t.uniqueName(), credentials: 'none', headers: PREFLIGHT },
    },
  };
  for (const [what, call] of Object.entries(calls)) {
    const { received } = await t.gateway.call({ ...call, method: 'OPTIONS', acceptsRefusal: true });
    const id = received.header('x-request-id') ?? '';
    t.expect(id.trim() !== '', `${what}: the answer (${received.status}) must carry X-Request-Id`);
  }
});
