import type { GatewayCall } from '../../trial/gateway-tool.ts';

/** A POST as the contract promises it: a JSON object. */
export const jsonPost = {
  method: 'POST',
  headers: { 'Content-Type': 'application/json' },
  body: '{}',
} satisfies GatewayCall;

/** The calls that the contract has operations for. */
export const gatewayMethods = [{ method: 'GET' }, jsonPost] as const satisfies GatewayCall[];
