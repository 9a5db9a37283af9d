/** The operations that a draft, or a change in `spec/`, adds to the contract. Prism responds to their calls. */
import {
  applyDispositionRules,
  gatewayRoutes,
  readCredentials,
  toWireForm,
} from '@berth/server-stubs/contract';
import type { DocumentRoutes } from '@berth/server-stubs/document';
import type { Call, Router, RouteTable } from '@berth/server-stubs/runtime';
import { createDocumentRouter } from '../document.ts';
import type { ResolvedOptions } from '../options.ts';
import type { Prism } from '../prism/prism.ts';
import { IMPLEMENTED, toSurfaceError } from '../surface.ts';
import { isObject } from '../user-input.ts';
import { type Auth, isSignature } from './auth.ts';
import { respondAsDocumented } from './respond.ts';
import { toTableOptions } from './responses.ts';

/** The OpenAPI document of a surface, built in or a draft, and its routes. */
export interface SurfaceDescription extends Pick<DocumentRoutes, 'document' | 'routes'> {
  /** The storage document also covers the upload target. */
  readonly surface: 'gateway' | 'storage';
  /** Path of a draft. */
  readonly file?: string;
}

/** All gateway operations accept the same credentials. */
const [{ security: GATEWAY_SECURITY } = { security: [] }] = gatewayRoutes.routes;

/** Calls to an addition need its surface's credentials and get errors in its surface's format, whatever the path. */
export function serveAdditions(
  { surface, routes: table }: SurfaceDescription,
  options: ResolvedOptions,
  auth: Auth,
  prism: Prism,
): Router {
  const { env, wireProfile } = options;
  const security = surface === 'gateway' ? GATEWAY_SECURITY : [['storage']];
  const routes = table.routes
    .filter(({ operationId }) => !IMPLEMENTED.has(operationId))
    .map((route) => (route.security.length > 0 ? { ...route, security, scopes: [] } : route));
  const { authorization: name } = wireProfile.storageHeaders;
  const securitySchemes: RouteTable['securitySchemes'] = {
    ...gatewayRoutes.securitySchemes,
    storage: { type: 'apiKey', in: 'header', name },
  };
  const respond = (call: Call) => respondToAddition(prism, surface, call);
  return createDocumentRouter({ ...table, routes, securitySchemes }, respond, {
    ...toTableOptions(options, surface),
    toError: (error) => toSurfaceError(surface, error),
    security: {
      bearerToken: (token, call) => auth.gateway.bearerToken(token, call),
      signature: (text, call) => isSignature(text) && auth.gateway.signature(text, call),
      storage: (_, call) =>
        auth.storage.credentials(readCredentials(call.request.headers, wireProfile), call),
    },
    findEnv: () => env,
    encodeBody: (body) => toWireForm(body, wireProfile),
  });
}

/** Returns the response of the document, in which the request ID (D9) and `statusCode` (D20) are those of the call. */
async function respondToAddition(prism: Prism, surface: SurfaceDescription['surface'], call: Call) {
  const { request, requestId } = call;
  const response = await respondAsDocumented(prism, surface, call);
  const { status, value } = response;
  const headers: Record<string, string> = { ...response.headers, 'x-request-id': requestId };
  if (surface === 'gateway') applyDispositionRules(request, headers);
  if (surface === 'gateway' || !isObject(value) || !isObject(value.body)) {
    return { ...response, headers };
  }
  return { status, headers, body: { statusCode: status, body: { ...value.body, requestId } } };
}
