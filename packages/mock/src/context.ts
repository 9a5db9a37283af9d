import type { DocumentRoutes } from '@berth/server-stubs/document';
import { openDocument, serveDocument } from './document.ts';
import type { OnProblem } from './live.ts';
import { RequestLog } from './log.ts';
import type { ResolvedOptions } from './options.ts';
import { createServices } from './services/create-services.ts';
import { createSessions } from './session.ts';
import { type Auth, createPresentAuth } from './surfaces/auth.ts';
import { createContract, findSurface, serveAdditions } from './surfaces/contract.ts';
import { LOGGING, toDocumentOptions } from './surfaces/responses.ts';
import { FieldError } from './user-input.ts';

/** What all calls of a mock share. */
export type Context = Awaited<ReturnType<typeof createContext>>;

export async function createContext(options: ResolvedOptions, onProblem: OnProblem) {
  const auth = await createAuth(options);
  const log = new RequestLog(options);
  const serve = (loaded: DocumentRoutes) => {
    const surface = findSurface(loaded.document);
    return surface === undefined
      ? serveDocument(loaded, options, toDocumentOptions(options, 'gateway'))
      : serveAdditions(surface, loaded, options, auth);
  };
  const openService = (source: string | object) =>
    openDocument(source, (loaded) => serveDocument(loaded, options, LOGGING), onProblem);
  const document = options.document
    ? await openDocument(options.document, serve, onProblem)
    : undefined;
  const isStandalone = document !== undefined && !document.current.isOfContract;
  if (isStandalone) assertStandalone(options);
  return {
    options,
    auth,
    log,
    sessions: createSessions(options, (session) => log.clear(session)),
    /** The document of the options. If it is standalone, nothing else is served. */
    document,
    isStandalone,
    contract: createContract(options, auth, isStandalone ? undefined : document),
    services: await createServices(options, openService, onProblem),
  };
}

/** Verification is loaded only if needed. */
async function createAuth({ credentials, env, wireProfile }: ResolvedOptions): Promise<Auth> {
  if (credentials === 'present') return createPresentAuth(wireProfile);
  const { createStrictAuth } = await import('./surfaces/strict-auth.ts');
  return createStrictAuth(env, wireProfile);
}

function assertStandalone({ document, services, credentials }: ResolvedOptions): void {
  if (services === undefined && credentials === 'present') return;
  const option = services === undefined ? 'credentials' : 'services';
  const rest = `has no effect together with ${document}, which the mock serves alone and without credentials: remove one of them.`;
  throw new FieldError(option, rest);
}
