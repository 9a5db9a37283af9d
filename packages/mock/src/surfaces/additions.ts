/**
 * Additions: operations that nothing implements, which a draft or a change in `spec/` has added. Whatever path an addition
 * has, its calls need the credentials of its surface, and get errors in its format.
 */
import {
  applyDispositionRules,
  gatewayRoutes,
  readCredentials,
  toContractError,
  toWireForm,
} from '@berth/server-stubs/contract';
import type { Call, HandlerResponse, RouteTable } from '@berth/server-stubs/runtime';
import { createDocumentRouter, type ServedRouter } from '../document.ts';
import type { ResolvedOptions } from '../options.ts';
import type { Prism } from '../prism/prism.ts';
import { isObject } from '../user-input.ts';
import { type Auth, isSignature } from './auth.ts';
import { type ContractDocument, respondAsDocumented } from './contract.ts';
import { toDocumentOptions } from './responses.ts';
import { type DocumentedSurface, IMPLEMENTED } from './surface.ts';

/** All gateway operations accept the same credentials. */
const [{ security: GATEWAY_SECURITY } = { security: [] }] = gatewayRoutes.routes;

export function listAdditions({ routes }: RouteTable): RouteTable['routes'] {
  return routes.filter(({ operationId }) => !IMPLEMENTED.has(operationId));
}

/** Serves the additions of a document of the contract, or of a draft of it. */
export function serveAdditions(
  { surface, routes: table, prism }: ContractDocument & { readonly prism: Prism },
  options: ResolvedOptions,
  auth: Auth,
): ServedRouter {
  const { env, wireProfile } = options;
  const alternatives = surface === 'gateway' ? GATEWAY_SECURITY : [['storage']];
  const routes = listAdditions(table).map((route) => ({
    ...route,
    security: route.security.length > 0 ? alternatives : [],
  }));
  const { authorization: name } = wireProfile.storageHeaders;
  const securitySchemes: RouteTable['securitySchemes'] = {
    ...gatewayRoutes.securitySchemes,
    storage: { type: 'apiKey', in: 'header', name },
  };
  const respond = (call: Call) => respondToAddition(prism, call, surface);
  const router = createDocumentRouter({ ...table, routes, securitySchemes }, respond, {
    ...toDocumentOptions(options, surface),
    toError: (error) => toContractError(surface, error),
    security: {
      bearerToken: (token, call) => auth.gateway.bearerToken(token, call),
      signature: (text, call) => isSignature(text) && auth.gateway.signature(text, call),
      storage: (_, call) =>
        auth.storage.credentials(readCredentials(call.request.headers, wireProfile), call),
    },
    findEnv: () => env,
    encodeBody: (body) => toWireForm(body, wireProfile),
  });
  return { router, routes, surface };
}

/** Responds with the example of the document, in which the request ID (D9) and `statusCode` (D20) are those of the call. */
async function respondToAddition(
  prism: Prism,
  call: Call,
  surface: DocumentedSurface,
): Promise<HandlerResponse> {
  const { request, requestId } = call;
  const found = await respondAsDocumented(prism, call, surface);
  const { status, value } = found;
  const headers: Record<string, string> = { ...found.headers, 'x-request-id': requestId };
  if (surface === 'gateway') applyDispositionRules(request, headers);
  if (surface === 'gateway' || !isObject(value) || !isObject(value.body)) {
    return { ...found, headers };
  }
  return { status, headers, body: { statusCode: status, body: { ...value.body, requestId } } };
}
