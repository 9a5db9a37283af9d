/**
 * Serves the operations that nothing implements: those that a draft adds, or a change of the built-in documents. A draft
 * is a copy of a built-in document with a new path, such as `/v1/items`. The routers of all surfaces then also have it:
 * `GET /v1/items` needs the gateway's credentials, and gets the example of the draft or an error of the gateway.
 */
import {
  applyDispositionRules,
  readCredentials,
  toContractError,
  toWireForm,
} from '@berth/server-stubs/contract';
import type { DocumentRoutes } from '@berth/server-stubs/document';
import type { Call, HandlerResponse, RouteTable } from '@berth/server-stubs/runtime';
import type { ResolvedOptions } from '../options.ts';
import { createPrism, type Prism, readPreferences } from '../prism/prism.ts';
import { DOCUMENT_UPLOAD_PATH, type DocumentedSurface } from '../surface.ts';
import { isObject } from '../user-input.ts';
import { type Auth, authenticateGateway } from './auth.ts';
import { DOCUMENTS, IMPLEMENTED, respondAsDocumented } from './contract.ts';
import { createPrismRouter, type ServedDocument, serveStandalone } from './document.ts';
import { toDocumentOptions } from './responses.ts';

/** Serves a draft as an extension of the contract, and any other document alone. */
export function serveDocument(
  loaded: DocumentRoutes,
  options: ResolvedOptions,
  auth: Auth,
): ServedDocument {
  const surface = findSurface(loaded.document);
  return surface === undefined
    ? serveStandalone(loaded, options, toDocumentOptions(options, 'gateway'))
    : serveAdditions(surface, loaded, options, auth);
}

/** A draft has a path of the contract. Any document may have the path of the upload target. */
function findSurface({ paths }: DocumentRoutes['document']): DocumentedSurface | undefined {
  return (['gateway', 'storage'] as const).find((surface) =>
    Object.keys(DOCUMENTS[surface].document.paths).some(
      (path) => path !== DOCUMENT_UPLOAD_PATH && Object.hasOwn(Object(paths), path),
    ),
  );
}

/** Serves the operations of a surface that nothing implements, with its credentials and errors. */
export function serveAdditions(
  surface: DocumentedSurface,
  { document, routes: table }: Pick<DocumentRoutes, 'document' | 'routes'>,
  options: ResolvedOptions,
  auth: Auth,
): ServedDocument {
  const prism = createPrism(document, options);
  const paths = table.routes.flatMap(({ operationId, path }) =>
    IMPLEMENTED.has(operationId) ? [] : path,
  );
  // With the other operations of the same paths, whose methods are also allowed there.
  const routes = table.routes.filter(({ path }) => paths.includes(path));
  const { env, wireProfile } = options;
  const header = surface === 'gateway' ? 'authorization' : wireProfile.storageHeaders.authorization;
  const authenticate = (_: unknown, call: Call) => {
    const login = Object.assign(call, { env, envId: env });
    if (surface === 'gateway') return authenticateGateway(login, auth.gateway);
    return auth.storage.credentials(readCredentials(call.request.headers, wireProfile), login);
  };
  const secured: RouteTable = {
    ...table,
    routes: routes.map((route) => ({
      ...route,
      security: route.security.length > 0 ? [['credentials']] : [],
    })),
    securitySchemes: { credentials: { type: 'apiKey', in: 'header', name: header } },
  };
  const router = createPrismRouter(secured, (call) => respondToAddition(prism, call, surface), {
    ...toDocumentOptions(options, surface, (error) => toContractError(surface, error)),
    security: { credentials: authenticate },
    encodeBody: (body) => toWireForm(body, wireProfile),
  });
  return { prism, surface, routes, router };
}

/** Responds with the example of the document, in which the request ID (D9) and `statusCode` (D20) are those of the call. */
async function respondToAddition(
  prism: Prism,
  call: Call,
  surface: DocumentedSurface,
): Promise<HandlerResponse> {
  const { request, requestId } = call;
  const preferences = readPreferences(request.headers.prefer);
  const found = await respondAsDocumented(prism, call, surface, preferences);
  const { status, body, content } = found;
  const headers: Record<string, string> = { ...found.headers, 'x-request-id': requestId };
  if (surface === 'gateway') applyDispositionRules(request, headers);
  if (surface === 'gateway' || !isObject(body) || !isObject(body.body)) {
    return { status, headers, body: content };
  }
  return { status, headers, body: { statusCode: status, body: { ...body.body, requestId } } };
}
